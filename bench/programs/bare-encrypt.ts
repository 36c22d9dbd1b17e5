import type { webcrypto } from 'node:crypto';
import { answerCommands } from './answer-commands.ts';
import { repeat } from './timed-run.ts';

/*
 * The steps that wire v4 needs to encrypt and decrypt a message, on bare WebCrypto: a key for each message, AES, Ed25519,
 * and the hash that later messages contain as a link.
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

async function encryptAndDecrypt(): Promise<void> {
  const messageId = crypto.randomUUID();
  const cipher = { name: 'AES-GCM', iv: crypto.getRandomValues(new Uint8Array(12)) };
  const encrypted = await subtle.encrypt(cipher, await keyOf(messageId), text);
  const [signature] = await Promise.all([
    subtle.sign('Ed25519', privateKey, encrypted),
    subtle.digest('SHA-256', encrypted),
  ]);

  const [verified, key] = await Promise.all([
    subtle.verify('Ed25519', publicKey, signature, encrypted),
    keyOf(messageId),
    subtle.digest('SHA-256', encrypted),
  ]);
  if (!verified) throw new Error('not verified');
  await subtle.decrypt(cipher, key, encrypted);
}

answerCommands({ run: repeat(encryptAndDecrypt) });
