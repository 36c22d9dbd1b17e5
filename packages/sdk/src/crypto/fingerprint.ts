import { invalidInput } from '../relay-error.ts';
import { tuple } from './bytes.ts';
import type { PublicKey } from './public-key.ts';

/**
 * Eight groups of five digits, which two people can read to each other. Another key has another fingerprint.
 *
 * @example
 * const { identity } = await openExpertKeys(root);
 * const fingerprint = await formatFingerprint(identity);
 */
export async function formatFingerprint(identity: PublicKey): Promise<string> {
  const bytes = tuple('expert-relay/v4/fingerprint', identity.raw);
  const digest = new DataView(await crypto.subtle.digest('SHA-512', bytes));
  return Array.from({ length: 8 }, (_, group) => {
    const number = digest.getUint8(group * 5) * 2 ** 32 + digest.getUint32(group * 5 + 1);
    return String(number % 100_000).padStart(5, '0');
  }).join(' ');
}

/**
 * The canonical form of a fingerprint that a user typed.
 *
 * @throws RelayError `invalid_input` when it has not 40 digits.
 *
 * @example
 * const expert = parseFingerprint('0491822734 ...');
 */
export function parseFingerprint(text: string): string {
  const digits = text.replaceAll(/[^0-9]/g, '');
  if (digits.length !== 40) {
    throw invalidInput(`A fingerprint has 40 digits, this one ${digits.length}. Copy all of it.`);
  }
  return digits.replaceAll(/\d{5}(?=\d)/g, '$& ');
}

/**
 * Whether both name the same expert: only their digits count.
 *
 * @example
 * if (!sameFingerprint(typed, fingerprint)) throw new Error('This is another expert.');
 */
export function sameFingerprint(one: string, other: string): boolean {
  return parseFingerprint(one) === parseFingerprint(other);
}
