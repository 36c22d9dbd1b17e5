import { RelayError } from '../relay-error.ts';
import { randomBytes, toUtf8 } from './bytes.ts';

/** Crockford's base32: no letter in it looks like another character. */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const length = 26;
const separators = /[\s\u002d\u2010-\u2015]/g;

/**
 * Makes a code of 130 random bits, to be shown once: `XXXX-XXXX-XXXX-XXXX-XXXX-XXXX-XXXX`.
 *
 * @example
 * const recoveryCode = await makeRecoveryCode();
 * const vault = await sealVault(root, recoveryCode);
 */
export async function makeRecoveryCode(
  random: (length: number) => Uint8Array = randomBytes,
): Promise<string> {
  const characters = encode(random(17)).slice(0, length);
  const all = characters + (await checkCharacters(characters));
  return all.replaceAll(/.{4}(?=.)/g, '$&-');
}

/**
 * The 26 characters of a code that a user typed.
 *
 * @throws RelayError `wrong_recovery_code` when it is mistyped.
 *
 * @example
 * const characters = await parseRecoveryCode(typed);
 */
export async function parseRecoveryCode(text: string): Promise<string> {
  const typed = text.replaceAll(separators, '').replaceAll(/[a-z]/g, (letter) => letter.toUpperCase());
  const all = typed.replaceAll('O', '0').replaceAll(/[IL]/g, '1');
  const characters = all.slice(0, length);
  if (/^[0-9A-HJKMNP-TV-Z]{28}$/.test(all) && all.slice(length) === (await checkCharacters(characters))) {
    return characters;
  }
  throw new RelayError(
    'wrong_recovery_code',
    'This recovery code has a typing mistake: it has seven groups of four letters or digits. Compare it with what you wrote down.',
  );
}

async function checkCharacters(characters: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', toUtf8(characters));
  return encode(new Uint8Array(digest)).slice(0, 2);
}

/** Five bits per character, first bits first. Remaining bits are dropped. */
function encode(bytes: Uint8Array): string {
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{5}/g) ?? []).map((five) => alphabet[Number.parseInt(five, 2)]).join('');
}
