import { generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';

const pem = ({ publicKey }: { publicKey: KeyObject }) =>
  publicKey.export({ type: 'spki', format: 'pem' }).toString();

const sentence = 'The build fails with a module that is not found although it is there, and only in CI. ';

/** A submit of an agent: both keys, the last six messages and a question; about 2 KB. */
export const submission = {
  consumerSignPubKey: pem(generateKeyPairSync('ed25519')),
  consumerEncryptPubKey: pem(generateKeyPairSync('x25519')),
  messages: Array.from({ length: 6 }, (_, at) => ({
    role: at % 2 === 0 ? 'user' : 'assistant',
    content: sentence.repeat(3),
  })),
  question: 'Why does the lock file resolve another version on the build machine than here?',
};

const base64 = (bytes: number) => randomBytes(bytes).toString('base64');

/** An encrypted message of 240 bytes, as the table stores it. */
export const encryptedMessage = () => ({
  iv: base64(12),
  ciphertext: base64(240),
  tag: base64(16),
  ephemeralPublicKey: base64(32),
  signature: base64(64),
});
