import type { Bytes } from '../bytes/bytes.ts';
import type { WebKey } from '../keys/hkdf.ts';
import type { PublicKey } from '../keys/public-key.ts';

export async function importVerifier({ raw }: PublicKey): Promise<WebKey> {
  return await crypto.subtle.importKey('raw', raw, 'Ed25519', true, ['verify']);
}

/** The same for a key that is used once. */
export async function isSignedBy(key: PublicKey, signature: Bytes, bytes: Bytes): Promise<boolean> {
  if (signature.length !== 64) return false;
  const verifier = await importVerifier(key).catch(() => undefined);
  return verifier !== undefined && (await verifySignature(verifier, signature, bytes));
}

/** Whether it is this key's Ed25519 signature. Some platforms throw at a key that is no point: not its. */
export async function verifySignature(key: WebKey, signature: Bytes, bytes: Bytes): Promise<boolean> {
  return await crypto.subtle.verify('Ed25519', key, signature, bytes).catch(() => false);
}
