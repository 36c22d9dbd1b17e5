import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';

export type KeyAlgorithm = 'ed25519' | 'x25519';

export function keyPair(algorithm: KeyAlgorithm): { publicPem: string; privatePem: string } {
  const { publicKey, privateKey } = generateKeyPairSync(algorithm as 'ed25519');
  return {
    publicPem: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    privatePem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

export const publicPem = (algorithm: KeyAlgorithm): string => keyPair(algorithm).publicPem;

/** The body of a submit, without its API key. */
export const submission = () => ({
  consumerSignPubKey: publicPem('ed25519'),
  consumerEncryptPubKey: publicPem('x25519'),
  messages: [
    { role: 'user', content: 'Plan the migration.' },
    { role: 'assistant', content: 'I see two ways.' },
  ],
  question: 'Which one is safe?',
});

export const keyExchange = () => ({
  providerSignPubKey: publicPem('ed25519'),
  providerEncryptPubKey: publicPem('x25519'),
});

const base64 = (length: number): string => randomBytes(length).toString('base64');

/** Random bytes in the form of an encrypted message. The relay accepts them, because it cannot read messages. */
export const encryptedContent = () => ({
  encrypted: { iv: base64(12), ciphertext: base64(48), tag: base64(16), ephemeralPublicKey: base64(32) },
  signature: base64(64),
});

export const encryptedMessage = (role: 'consumer' | 'provider') => ({
  role,
  ...encryptedContent(),
  messageId: randomUUID(),
});

/** Ids of the right form that do not exist. */
export const unknownRequestId = (): string => randomBytes(16).toString('base64url');
export const unknownKeyId = (): string => randomUUID();
export const unknownSessionId = (): string => randomUUID();
