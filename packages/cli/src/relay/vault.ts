import { openVault, sealVault, type Vault } from '@expert-relay/sdk/crypto';
import * as z from 'zod';
import { Failure } from '../failure.ts';
import { callRelay, describeProblem } from './call-relay.ts';
import type { Access } from './require-relay.ts';

// `openVault` checks the members.
const schema = z.object({ vault: z.custom<Vault>((value) => typeof value === 'object' && value !== null) });

/** The expert's root as the relay keeps it: encrypted, with the version that a new one must replace. */
export interface StoredVault {
  readonly vault: Vault;
  readonly etag: string | undefined;
}

export async function readVault(access: Access, signal: AbortSignal): Promise<StoredVault | undefined> {
  const { status, body, etag } = await callRelay(access, { path: '/api/v1/vault', signal });
  if (status === 404) return undefined;
  const parsed = schema.safeParse(body);
  if (status !== 200 || !parsed.success) throw unexpected(status, body);
  return { vault: parsed.data.vault, etag };
}

export interface NewVault {
  root: Uint8Array;
  code: string;
  /** The vault that it replaces. */
  replaces: StoredVault | undefined;
}

export async function writeVault(access: Access, { root, code, replaces }: NewVault, signal: AbortSignal) {
  const vault = await sealVault(root, code);
  const { status, body } = await callRelay(access, {
    method: 'PUT',
    path: '/api/v1/vault',
    body: { vault },
    ifMatch: replaces?.etag,
    signal,
  });
  if (status === 412 || status === 428) {
    throw new Failure('failed', 'Another device has changed the vault. Look at it first: relay keys');
  }
  if (status !== 200 && status !== 201) throw unexpected(status, body);
  // A relay may say that it has stored what it has not: then the code would open nothing.
  const stored = await readVault(access, signal);
  const opened = stored && (await openVault(stored.vault, code).catch(() => undefined));
  if (!opened || !Buffer.from(opened).equals(root))
    throw new Failure(
      'failed',
      'The relay has not stored the keys: this recovery code opens nothing. Try again.',
    );
}

function unexpected(status: number, body: unknown): Failure {
  const sentence = `The relay's answer about the vault is not valid (${status}). Is RELAY_URL right?`;
  return new Failure('failed', describeProblem(status, body) || sentence);
}
