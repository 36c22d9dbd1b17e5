import type { Bytes } from '../bytes/bytes.ts';
import type { WebKey } from '../keys/hkdf.ts';
import type { PublicKey } from '../keys/public-key.ts';

export async function importVerifier({ raw }: PublicKey): Promise<WebKey> {
  return await crypto.subtle.importKey('raw', raw, 'Ed25519', true, ['verify']);
}

/** Whether it is this key's Ed25519 signature. Some platforms throw at a key that is no point: not its. */
export async function verifySignature(key: WebKey, signature: Bytes, bytes: Bytes): Promise<boolean> {
  return await crypto.subtle.verify('Ed25519', key, signature, bytes).catch(() => false);
}
