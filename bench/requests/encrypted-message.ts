import { randomBytes } from 'node:crypto';

const base64 = (bytes: number) => randomBytes(bytes).toString('base64');

/** An encrypted message of 240 bytes as it lies in the table. */
export const encryptedMessage = () => ({
  iv: base64(12),
  ciphertext: base64(240),
  tag: base64(16),
  ephemeralPublicKey: base64(32),
  signature: base64(64),
});
