import type { Vault } from '../crypto/vault.ts';
import { RelayError } from '../relay-error.ts';
import type { Api } from '../transport/api.ts';
import { members } from '../transport/shape.ts';

/** An expert's vault as the relay keeps it, with the version that a new one must replace. */
export interface StoredVault {
  /** `openVault` checks it. */
  readonly vault: Vault;
  readonly etag: string | undefined;
}

const path = '/api/v1/vault';

export async function readVault(api: Api, signal: AbortSignal | undefined): Promise<StoredVault | undefined> {
  const read = (answer: unknown, headers: Headers): StoredVault => ({
    vault: members(members(answer).vault) as unknown as Vault,
    etag: headers.get('etag') ?? undefined,
  });
  return await api.get(path, read, signal).catch((error: unknown) => {
    if (RelayError.is(error, 'not_found')) return undefined;
    throw error;
  });
}

/** Stores a vault, and reads it back: a repeated call finds its own, and a relay may say that it has stored what it has not. */
export async function writeVault(
  api: Api,
  vault: Vault,
  replaces: StoredVault | undefined,
  signal: AbortSignal | undefined,
): Promise<void> {
  const conflict = await api.put(path, { vault }, replaces?.etag, signal).catch((error: unknown) => {
    if (RelayError.is(error, 'conflict')) return error;
    throw error;
  });
  const stored = await readVault(api, signal);
  const names = Object.keys(vault) as (keyof Vault)[];
  if (stored && names.every((name) => stored.vault[name] === vault[name])) return;
  throw (
    conflict ??
    new RelayError(
      'unexpected_answer',
      'The relay has not stored the vault: its code opens nothing. Try again.',
    )
  );
}
