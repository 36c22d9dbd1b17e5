import type { Bytes } from './bytes.ts';
import type { WebKey } from './hkdf.ts';
import type { PublicKey } from './public-key.ts';

export async function importVerifier({ raw }: PublicKey): Promise<WebKey> {
  return await crypto.subtle.importKey('raw', raw, 'Ed25519', true, ['verify']);
}

/** Verifies a signature of a key that is used only once. */
export async function isSignedBy(key: PublicKey, signature: Bytes, bytes: Bytes): Promise<boolean> {
  if (signature.length !== 64) return false;
  const verifier = await importVerifier(key).catch(() => undefined);
  return verifier !== undefined && (await verifySignature(verifier, signature, bytes));
}

/** Whether this is the key's Ed25519 signature. Some platforms throw when the key is not a valid point. */
export async function verifySignature(key: WebKey, signature: Bytes, bytes: Bytes): Promise<boolean> {
  return await crypto.subtle.verify('Ed25519', key, signature, bytes).catch(() => false);
}
