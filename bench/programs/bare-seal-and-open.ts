import type { webcrypto } from 'node:crypto';
import { answerCommands } from './answer-commands.ts';
import { repeat } from './repeat.ts';

/*
 * What a message of wire v4 cannot do without, there and back, on bare WebCrypto: a key of its own, AES,
 * Ed25519, and the hash by which later messages name it.
 */

const { subtle } = crypto;
const text = new TextEncoder().encode('a'.repeat(1024));
const info = crypto.getRandomValues(new Uint8Array(256));
const { privateKey, publicKey } = (await subtle.generateKey('Ed25519', false, [
  'sign',
  'verify',
])) as webcrypto.CryptoKeyPair;
const secret = await subtle.importKey('raw', crypto.getRandomValues(new Uint8Array(32)), 'HKDF', false, [
  'deriveKey',
]);

const keyOf = (messageId: string) => {
  const salt = new TextEncoder().encode(messageId);
  const hkdf = { name: 'HKDF', hash: 'SHA-256', salt, info };
  return subtle.deriveKey(hkdf, secret, { name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt']);
};

async function sealAndOpen(): Promise<void> {
  const messageId = crypto.randomUUID();
  const cipher = { name: 'AES-GCM', iv: crypto.getRandomValues(new Uint8Array(12)) };
  const sealed = await subtle.encrypt(cipher, await keyOf(messageId), text);
  const [signature] = await Promise.all([
    subtle.sign('Ed25519', privateKey, sealed),
    subtle.digest('SHA-256', sealed),
  ]);

  const [verified, key] = await Promise.all([
    subtle.verify('Ed25519', publicKey, signature, sealed),
    keyOf(messageId),
    subtle.digest('SHA-256', sealed),
  ]);
  if (!verified) throw new Error('not verified');
  await subtle.decrypt(cipher, key, sealed);
}

answerCommands({ run: repeat(sealAndOpen) });
