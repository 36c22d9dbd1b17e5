import { fromBase64, toBase64 } from '../bytes/base64.ts';
import { type Bytes, equalBytes } from '../bytes/bytes.ts';
import { refusal } from '../refusal.ts';
import { smallOrderStarts } from './small-order.ts';

/** `sign`: Ed25519, to check signatures with. `encrypt`: X25519, to agree on a secret with. */
export type KeyKind = 'sign' | 'encrypt';

/** A public key that has been looked at: of its kind, in its one spelling, and of full strength. */
export interface PublicKey {
  readonly kind: KeyKind;
  /** 32 bytes. */
  readonly raw: Bytes;
  /** As it travels. */
  readonly pem: string;
}

/** As WebCrypto and people call them. */
export const algorithms = { sign: 'Ed25519', encrypt: 'X25519' } as const;

/** The 12 DER bytes before the 32 of the key itself, in base64: a third of them, so that the key's own follows. */
const starts = { sign: 'MCowBQYDK2VwAyEA', encrypt: 'MCowBQYDK2VuAyEA' } as const;

// One block has about 115 characters. Matching a long text of nothing but spaces would take ages.
const longest = 1000;
const oneBlock =
  /^[ \t\r\n]*-----BEGIN PUBLIC KEY-----[ \t\r\n]([A-Za-z0-9+/= \t\r\n]+)[ \t\r\n]-----END PUBLIC KEY-----[ \t\r\n]*$/;

/**
 * Reads a public key that somebody else sent.
 *
 * @throws RelayError `invalid_public_key` for anything but exactly one PEM block with one key of this kind.
 */
export function parsePublicKey(pem: unknown, kind: KeyKind): PublicKey {
  const text = typeof pem === 'string' && pem.length <= longest ? pem : '';
  const base64 = oneBlock.exec(text)?.[1]?.replaceAll(/\s/g, '') ?? '';
  const raw = fromBase64(base64.slice(16));
  if (!base64.startsWith(starts[kind]) || raw?.length !== 32) {
    throw refusal(
      'invalid_public_key',
      `This is no ${algorithms[kind]} public key.`,
      'Expected one PEM block.',
    );
  }
  return publicKey(raw, kind);
}

/** @throws RelayError `invalid_public_key` for 32 bytes that protect nothing or have a second spelling. */
export function publicKey(raw: Bytes, kind: KeyKind): PublicKey {
  const point = raw.slice();
  // In an Ed25519 key the top bit is the sign of x; in an X25519 key it is ignored, a second spelling.
  if (kind === 'sign') point[31] = (point[31] ?? 0) & 0x7f;
  if (!isBelowPrime(point) || smallOrderStarts.has(toBase64(point.subarray(0, 9)))) {
    throw protectsNothing(kind);
  }
  const pem = `-----BEGIN PUBLIC KEY-----\n${starts[kind]}${toBase64(raw)}\n-----END PUBLIC KEY-----\n`;
  return { kind, raw, pem };
}

export const protectsNothing = (kind: KeyKind) =>
  refusal('invalid_public_key', `This ${algorithms[kind]} public key protects nothing.`);

export function samePublicKey(one: PublicKey, other: PublicKey): boolean {
  return one.kind === other.kind && equalBytes(one.raw, other.raw);
}

/** Little-endian, against 2^255 - 19. */
function isBelowPrime(point: Uint8Array): boolean {
  const top = point[31] ?? 0;
  return (
    top < 0x7f ||
    (top === 0x7f && ((point[0] ?? 0) < 0xed || point.subarray(1, 31).some((byte) => byte < 0xff)))
  );
}
