import { fromBase64, toBase64 } from './base64.ts';
import { type Bytes, equalBytes } from './bytes.ts';
import { refusal } from './refusal.ts';

/** `sign`: Ed25519, for signatures. `encrypt`: X25519, for the shared secret. */
export type KeyKind = 'sign' | 'encrypt';

/** A public key that passed all checks: right kind, only valid encoding, full strength. */
export interface PublicKey {
  readonly kind: KeyKind;
  /** 32 bytes. */
  readonly raw: Bytes;
  /** As it is sent. */
  readonly pem: string;
}

/** The names in WebCrypto and in messages. */
export const algorithms = { sign: 'Ed25519', encrypt: 'X25519' } as const;

/** The 12 DER bytes before the 32 bytes of the key, in base64. Their number is a multiple of 3, so the key's base64 follows. */
const starts = { sign: 'MCowBQYDK2VwAyEA', encrypt: 'MCowBQYDK2VuAyEA' } as const;

// One block has about 115 characters. Matching a long text of spaces would take very long.
const maxLength = 1000;
const oneBlock =
  /^[ \t\r\n]*-----BEGIN PUBLIC KEY-----[ \t\r\n]([A-Za-z0-9+/= \t\r\n]+)[ \t\r\n]-----END PUBLIC KEY-----[ \t\r\n]*$/;

/**
 * Reads a public key that another party sent.
 *
 * @throws RelayError `invalid_public_key` for anything but exactly one PEM block with one key of this kind.
 *
 * @example
 * const key = parsePublicKey(exchange.providerSignPubKey, 'sign');
 */
export function parsePublicKey(pem: unknown, kind: KeyKind): PublicKey {
  const text = typeof pem === 'string' && pem.length <= maxLength ? pem : '';
  const base64 = oneBlock.exec(text)?.[1]?.replaceAll(/\s/g, '') ?? '';
  const raw = fromBase64(base64.slice(16));
  if (!base64.startsWith(starts[kind]) || raw?.length !== 32) {
    throw refusal('invalid_public_key', `This is no ${algorithms[kind]} public key in one PEM block.`);
  }
  return publicKey(raw, kind);
}

/** @throws RelayError `invalid_public_key` for 32 bytes that protect nothing or have a second encoding. */
export function publicKey(raw: Bytes, kind: KeyKind): PublicKey {
  const point = raw.slice();
  // In an Ed25519 key the top bit is the sign of x. In an X25519 key it is ignored: that would be a second encoding.
  if (kind === 'sign') point[31] = (point[31] ?? 0) & 0x7f;
  if (!isBelowPrime(point) || smallOrderStarts.has(toBase64(point.subarray(0, 9)))) {
    throw protectsNothing(kind);
  }
  const pem = `-----BEGIN PUBLIC KEY-----\n${starts[kind]}${toBase64(raw)}\n-----END PUBLIC KEY-----\n`;
  return { kind, raw, pem };
}

export const protectsNothing = (kind: KeyKind) =>
  refusal('invalid_public_key', `This ${algorithms[kind]} public key protects nothing.`);

/**
 * Whether both are the same key.
 *
 * @example
 * const isOwn = samePublicKey(keys.signPublic, parsePublicKey(exchange.providerSignPubKey, 'sign'));
 */
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

/*
 * No ordinary key is a point of small order. With such an X25519 key every shared secret is zero; such an Ed25519 key
 * accepts one signature for every message. Encodings of these points at or above the prime are refused earlier.
 */

/**
 * The first 9 bytes of each of these points, in base64: zero, one, the prime less one, two of Ed25519, two of X25519.
 * A random key begins like one of them once in 2^69 times.
 */
const smallOrderStarts: ReadonlySet<string> = new Set([
  'AAAAAAAAAAAA',
  'AQAAAAAAAAAA',
  '7P//////////',
  'JuiVj8KyJ7BF',
  'xxdqcD1N2E+6',
  '4Ot6fDtBuK4W',
  'X5yVvKNQjCSx',
]);
