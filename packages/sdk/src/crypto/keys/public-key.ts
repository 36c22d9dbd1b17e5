import { RelayError } from '../../relay-error.ts';
import { fromBase64, toBase64 } from '../bytes/base64.ts';
import { type Bytes, concat, equalBytes } from '../bytes/bytes.ts';
import { smallOrderPoints } from './small-order.ts';

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

/** The DER bytes before the 32 of the key itself: they differ in the last byte of the algorithm's name. */
const spkiStart = (kind: KeyKind) =>
  new Uint8Array([0x30, 0x2a, 0x30, 5, 6, 3, 0x2b, 0x65, kind === 'sign' ? 0x70 : 0x6e, 3, 0x21, 0]);

// One block has about 115 characters. Matching a long text of nothing but spaces would take ages.
const longest = 1000;
const oneBlock = /^\s*-----BEGIN PUBLIC KEY-----\s([A-Za-z0-9+/=\s]+)\s-----END PUBLIC KEY-----\s*$/;

/**
 * Reads a public key that somebody else sent.
 *
 * @throws RelayError `invalid_public_key` for anything but exactly one PEM block with one key of this kind.
 */
export function parsePublicKey(pem: unknown, kind: KeyKind): PublicKey {
  const text = typeof pem === 'string' && pem.length <= longest ? pem : '';
  const base64 = oneBlock.exec(text)?.[1]?.replaceAll(/\s/g, '');
  const der = base64 === undefined ? undefined : fromBase64(base64);
  const start = spkiStart(kind);
  if (der?.length !== 44 || !equalBytes(der.subarray(0, 12), start)) {
    throw new RelayError(
      'invalid_public_key',
      `This is not an ${algorithms[kind]} public key. Expected exactly one PEM block (-----BEGIN PUBLIC KEY-----) with one such key.`,
    );
  }
  return publicKey(der.slice(12), kind);
}

/** @throws RelayError `invalid_public_key` for 32 bytes that protect nothing or have a second spelling. */
export function publicKey(raw: Bytes, kind: KeyKind): PublicKey {
  const point = raw.slice();
  // In an Ed25519 key the top bit is the sign of x; in an X25519 key it is ignored, a second spelling.
  if (kind === 'sign') point[31] = (point[31] ?? 0) & 0x7f;
  const hex = Array.from(point, (byte) => byte.toString(16).padStart(2, '0')).join('');
  if (!isBelowPrime(point) || smallOrderPoints[kind].has(hex)) {
    throw new RelayError(
      'invalid_public_key',
      `This ${algorithms[kind]} public key protects nothing, and no honest program makes it. Do not go on with whoever sent it.`,
    );
  }
  return { kind, raw, pem: toPem(raw, kind) };
}

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

function toPem(raw: Uint8Array, kind: KeyKind): string {
  const base64 = toBase64(concat(spkiStart(kind), raw));
  return `-----BEGIN PUBLIC KEY-----\n${base64}\n-----END PUBLIC KEY-----\n`;
}
