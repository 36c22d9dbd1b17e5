import type { Bytes } from './bytes.ts';

/** A WebCrypto key. Its type has different names in Node and in browsers. */
export type WebKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

export async function importSecret(secret: Bytes): Promise<WebKey> {
  return await crypto.subtle.importKey('raw', secret, 'HKDF', false, ['deriveBits']);
}

/** 32 bytes of HKDF with SHA-256. */
export async function deriveBytes(
  secret: WebKey,
  info: Bytes,
  salt: Bytes = new Uint8Array(0),
): Promise<Bytes> {
  const algorithm = { name: 'HKDF', hash: 'SHA-256', salt, info };
  return new Uint8Array(await crypto.subtle.deriveBits(algorithm, secret, 256));
}

/** The same as a key for AES-256-GCM. `deriveKey` would take 1.5 times as long. */
export async function deriveAesKey(secret: WebKey, salt: Bytes, info: Bytes): Promise<WebKey> {
  const bytes = await deriveBytes(secret, info, salt);
  return await crypto.subtle.importKey('raw', bytes, 'AES-GCM', false, ['encrypt', 'decrypt']);
}
