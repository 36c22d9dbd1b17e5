import type { Vault } from '@expert-relay/sdk/crypto';
import { call } from '../relay/call.ts';

/** The expert key as the relay stores it: encrypted by the recovery code. */
export interface KeptVault {
  readonly vault: Vault;
  /** Required by a call that replaces it. */
  readonly etag: string;
}

/** Undefined while the expert has made no key. */
export async function readVault(): Promise<KeptVault | undefined> {
  const { body, headers } = await call<{ vault: Vault } | undefined>('/api/vault?optional=true');
  return body && { vault: body.vault, etag: headers.get('etag') ?? '' };
}

/** @throws CallError 412 or 428 when another device has written one since */
export async function writeVault(vault: Vault, replaced: KeptVault | undefined): Promise<void> {
  await call('/api/vault', {
    method: 'PUT',
    body: { vault },
    ...(replaced && { headers: { 'if-match': replaced.etag } }),
  });
}
