import { generateKeyPairSync, type KeyObject } from 'node:crypto';

const pem = ({ publicKey }: { publicKey: KeyObject }) =>
  publicKey.export({ type: 'spki', format: 'pem' }).toString();

const sentence = 'The build fails with a module that is not found although it is there, and only in CI. ';

/** What an agent sends: both keys, the last six messages, a question; about 2 KB. */
export const submission = {
  consumerSignPubKey: pem(generateKeyPairSync('ed25519')),
  consumerEncryptPubKey: pem(generateKeyPairSync('x25519')),
  messages: Array.from({ length: 6 }, (_, at) => ({
    role: at % 2 === 0 ? 'user' : 'assistant',
    content: sentence.repeat(3),
  })),
  question: 'Why does the lock file resolve another version on the build machine than here?',
};
