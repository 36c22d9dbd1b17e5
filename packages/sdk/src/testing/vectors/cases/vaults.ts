import { sha256, toUtf8, tuple } from '../../../crypto/bytes.ts';
import { deriveAesKey, importSecret } from '../../../crypto/hkdf.ts';
import type { Vault } from '../../../crypto/index.ts';
import type { Draft } from '../case.ts';
import { expertKeys, root, strangeRoot } from '../people.ts';
import { runCase } from '../run-case.ts';
import { hex, seeded, unhex } from '../seeded.ts';

export async function vaultCases(): Promise<Draft[]> {
  const random = hex(seeded('recovery code', 17));
  const { code } = await runCase('make-recovery-code', { random });
  const { code: otherCode } = await runCase('make-recovery-code', { random: hex(seeded('other code', 17)) });
  const { characters } = await runCase('read-recovery-code', { typed: code });
  const [salt, iv] = [hex(seeded('vault salt', 16)), hex(seeded('vault iv', 12))];
  const sealing = { root, code, salt, iv };
  const { vault } = await runCase('seal-vault', sealing);
  const typed = (name: string, text: string, error?: string): Draft => ({
    name: `a recovery code: ${name}`,
    kind: 'read-recovery-code',
    input: { typed: text },
    ...(error && { error }),
  });
  const mistyped = (name: string, text: string) => typed(name, text, 'wrong_recovery_code');
  const open = (name: string, changed: Partial<Record<keyof Vault, string>>, error?: string): Draft => ({
    name: `a vault: ${name}`,
    kind: 'open-vault',
    input: { vault: { ...vault, ...changed } as Vault, code },
    ...(error && { error }),
  });
  const malformed = (name: string, changed: Partial<Record<keyof Vault, string>>) =>
    open(name, changed, 'malformed_vault');
  const altered = (name: string, changed: Partial<Record<keyof Vault, string>>) =>
    open(name, changed, 'wrong_recovery_code');
  const wrongIdentity = (await expertKeys(strangeRoot)).signPublic.raw;
  const zeros = '00'.repeat(17);
  const { code: zeroCode } = await runCase('make-recovery-code', { random: zeros });
  return [
    { name: 'a recovery code of random bytes', kind: 'make-recovery-code', input: { random } },
    { name: 'a recovery code of zeros', kind: 'make-recovery-code', input: { random: zeros } },
    { name: 'a recovery code of ones', kind: 'make-recovery-code', input: { random: 'ff'.repeat(17) } },
    typed('as it was shown', code),
    typed('in small letters, without hyphens', code.toLowerCase().replaceAll('-', '')),
    typed('with long hyphens and wide spaces', ` ${code.replaceAll('-', ' \u2013\u00a0')}\n`),
    typed('with all that counts as white space', spaced(code, whiteSpace)),
    ...['\u0085', '\u001c', '\u200b', '\u180e'].map((space) =>
      mistyped(
        `with U+${space.charCodeAt(0).toString(16).padStart(4, '0')}, which is no white space`,
        code + space,
      ),
    ),
    typed('with O, I and L for digits', zeroCode.replace('00', 'oO')),
    mistyped('one character wrong', replaceAt(code, 2, code[2] === '7' ? '8' : '7')),
    mistyped('two characters in the wrong order', swapUnequal(code)),
    mistyped('a character short', code.slice(0, -1)),
    mistyped('a character more', `${code}0`),
    mistyped('without its check characters', characters),
    mistyped('with a U, and the check characters of that', await withU(characters)),
    mistyped('with a letter that only looks small', code.replace('S', '\u017f')),
    mistyped('nothing', ''),
    { name: 'a vault as it is sealed', kind: 'seal-vault', input: sealing },
    open('as it is opened', {}),
    {
      name: "a vault: another vault's code",
      kind: 'open-vault',
      input: { vault, code: otherCode },
      error: 'wrong_recovery_code',
    },
    altered('its ciphertext altered', { ciphertext: flipFirst(vault.ciphertext) }),
    altered('its salt altered', { salt: flipFirst(vault.salt) }),
    altered('its identity swapped', { identity: Buffer.from(wrongIdentity).toString('base64') }),
    malformed('of another scheme', { scheme: 'expert-relay/v5' }),
    malformed('its salt a byte short', { salt: Buffer.from(unhex(salt).slice(1)).toString('base64') }),
    malformed('its ciphertext without its tag', {
      ciphertext: Buffer.from(vault.ciphertext, 'base64').subarray(0, 32).toString('base64'),
    }),
    malformed('its iv with a line break', { iv: `${vault.iv}\n` }),
    malformed("another identity than its root's", await sealWrongly(wrongIdentity, characters)),
  ];
}

/** Sealed correctly, with an identity that does not come from the root. */
async function sealWrongly(identity: Uint8Array, characters: string) {
  const [salt, iv] = [seeded('wrong salt', 16), seeded('wrong iv', 12)];
  const secret = await importSecret(new Uint8Array(Buffer.from(characters)));
  const key = await deriveAesKey(secret, salt, tuple('expert-relay/v4/vault'));
  const additionalData = tuple('expert-relay/v4/vault', identity);
  const sealed = await crypto.subtle.encrypt({ name: 'AES-GCM', iv, additionalData }, key, unhex(root));
  const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
  return {
    identity: base64(identity),
    salt: base64(salt),
    iv: base64(iv),
    ciphertext: base64(new Uint8Array(sealed)),
  };
}

const whiteSpace =
  '\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff';

/** The checksum is right, so only the alphabet refuses it. */
async function withU(characters: string): Promise<string> {
  const changed = replaceAt(characters, 0, 'U');
  const [first = 0, second = 0] = await sha256(toUtf8(changed));
  const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
  return `${changed}${alphabet[first >> 3]}${alphabet[((first & 7) << 2) | (second >> 6)]}`;
}

/** Adds another space after each character. */
function spaced(code: string, spaces: string): string {
  return [...code].map((character, index) => character + (spaces[index] ?? '')).join('');
}

function replaceAt(text: string, at: number, character: string): string {
  return text.slice(0, at) + character + text.slice(at + 1);
}

/** Swaps the first two neighbours that differ. */
function swapUnequal(text: string): string {
  return text.replace(/(\w)(?!\1)(\w)/, '$2$1');
}

function flipFirst(base64: string): string {
  return replaceAt(base64, 0, base64[0] === 'A' ? 'B' : 'A');
}
