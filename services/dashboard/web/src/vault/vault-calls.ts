import type { Vault } from '@expert-relay/sdk/crypto';
import type { StoredVault } from '@expert-relay/sdk/expert';
import { call } from '../relay/call.ts';

/** Undefined while the expert has made no key. */
export async function readVault(): Promise<StoredVault | undefined> {
  const { body, etag } = await call<{ vault: Vault } | undefined>('/api/vault?optional=true');
  return body && { vault: body.vault, etag };
}

/** @throws CallError `isConflict` when another device has written one since */
export async function writeVault(vault: Vault, replaced: StoredVault | undefined): Promise<void> {
  await call('/api/vault', { method: 'PUT', body: { vault }, replaces: replaced?.etag });
}
