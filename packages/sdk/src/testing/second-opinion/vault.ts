import { createCipheriv } from 'node:crypto';
import type { Vault } from '../../crypto/index.ts';
import { expertPairs, rawOf } from './keys.ts';
import { base64, decrypt, hkdf, refuseUnless, sha, tuple } from './primitives.ts';

const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

function characters(bytes: Buffer, count: number): string {
  const bits = BigInt(`0x${bytes.toString('hex')}`);
  const total = BigInt(bytes.length * 8);
  return Array.from({ length: count }, (_, n) => {
    const shift = total - 5n * BigInt(n + 1);
    return alphabet[Number((bits >> shift) & 31n)];
  }).join('');
}

const checkOf = (code: string) => characters(sha('sha256', Buffer.from(code)), 2);

export function makeCode(random: string): string {
  const code = characters(Buffer.from(random, 'hex'), 26);
  return (code + checkOf(code)).match(/.{4}/g)?.join('-') ?? '';
}

export function readCode(typed: string): string {
  const space = /[\t-\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]/;
  const bare = [...typed].filter(
    (character) => !space.test(character) && !/-|[\u2010-\u2015]/.test(character),
  );
  const code = bare
    .map((character) => (/^[a-z]$/.test(character) ? character.toUpperCase() : character))
    .map((character) => ({ O: '0', I: '1', L: '1' })[character] ?? character)
    .join('');
  refuseUnless(
    [...code].every((character) => alphabet.includes(character)) &&
      code.length === 28 &&
      code.slice(26) === checkOf(code.slice(0, 26)),
    'wrong_recovery_code',
  );
  return code.slice(0, 26);
}

const wrapping = (code: string, salt: Buffer) =>
  hkdf(Buffer.from(readCode(code)), salt, tuple('expert-relay/v4/vault'));
const additionalData = (identity: Buffer) => tuple('expert-relay/v4/vault', identity);

export function sealVault(input: { root: string; code: string; salt: string; iv: string }): Vault {
  const [root, salt, iv] = [input.root, input.salt, input.iv].map((text) => Buffer.from(text, 'hex')) as [
    Buffer,
    Buffer,
    Buffer,
  ];
  const identity = rawOf(expertPairs(input.root, '')).sign;
  const cipher = createCipheriv('aes-256-gcm', wrapping(input.code, salt), iv).setAAD(
    additionalData(identity),
  );
  const ciphertext = Buffer.concat([cipher.update(root), cipher.final(), cipher.getAuthTag()]);
  return {
    scheme: 'expert-relay/v4',
    identity: identity.toString('base64'),
    salt: salt.toString('base64'),
    iv: iv.toString('base64'),
    ciphertext: ciphertext.toString('base64'),
  };
}

export function openVault(vault: Vault, code: string): string {
  refuseUnless(vault.scheme === 'expert-relay/v4', 'malformed_vault');
  const identity = base64(vault.identity, 'malformed_vault', 32);
  const salt = base64(vault.salt, 'malformed_vault', 16);
  const iv = base64(vault.iv, 'malformed_vault', 12);
  const sealed = base64(vault.ciphertext, 'malformed_vault', 48);
  const [ciphertext, tag] = [sealed.subarray(0, 32), sealed.subarray(32)];
  const key = wrapping(code, salt);
  const root = decrypt(
    { key, iv, ciphertext, tag, additional: additionalData(identity) },
    'wrong_recovery_code',
  );
  refuseUnless(rawOf(expertPairs(root.toString('hex'), '')).sign.equals(identity), 'malformed_vault');
  return root.toString('hex');
}
