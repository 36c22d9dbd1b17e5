import { createHash } from 'node:crypto';
import type { Bytes } from '../../crypto/bytes.ts';

/*
 * Signatures that strict Ed25519 verification refuses and some implementations accept. Only the owner of the key can
 * make them. No library offers this arithmetic.
 */

const p = 2n ** 255n - 19n;
const order = 2n ** 252n + 27742317777372353535851937790883648493n;
/** The point (x / z, y / z). */
type Point = readonly [x: bigint, y: bigint, z: bigint];

const mod = (value: bigint): bigint => ((value % p) + p) % p;

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  for (let [square, rest] = [mod(base), exponent]; rest > 0n; rest >>= 1n, square = mod(square * square)) {
    if (rest & 1n) result = mod(result * square);
  }
  return result;
}

const inverse = (value: bigint): bigint => power(value, p - 2n);
const d = mod(-121665n * inverse(121666n));

function add([x1, y1, z1]: Point, [x2, y2, z2]: Point): Point {
  const [a, c, e] = [mod(z1 * z2), mod(x1 * x2), mod(y1 * y2)];
  const [square, cross] = [mod(a * a), mod(d * c * e)];
  const [f, g] = [square - cross, square + cross];
  return [mod(a * f * ((x1 + y1) * (x2 + y2) - c - e)), mod(a * g * (e + c)), mod(f * g)];
}

function multiply(scalar: bigint, point: Point): Point {
  let result: Point = [0n, 1n, 1n];
  for (let [double, rest] = [point, scalar]; rest > 0n; rest >>= 1n, double = add(double, double)) {
    if (rest & 1n) result = add(result, double);
  }
  return result;
}

const base: Point = [
  15112221349535400772501151409588531511454012693041857206046113283949847762202n,
  mod(4n * inverse(5n)),
  1n,
];

const fromBytes = (bytes: Uint8Array): bigint =>
  BigInt(`0x${Buffer.from(bytes).reverse().toString('hex') || '0'}`);
const toBytes = (number: bigint): Buffer =>
  Buffer.from(number.toString(16).padStart(64, '0'), 'hex').reverse();
function encode([x, y, z]: Point): Buffer {
  const by = inverse(z);
  return toBytes(mod(y * by) | ((mod(x * by) & 1n) << 255n));
}
const sha512 = (...parts: Uint8Array[]): Buffer =>
  parts.reduce((hash, part) => hash.update(part), createHash('sha512')).digest();

/** The point of order two, (0, -1). When added to R, it disappears if the equation is multiplied by the cofactor. */
const torsion: Point = [0n, p - 1n, 1n];

function signWith(seed: Uint8Array, message: Uint8Array, r: bigint, encodedR: Uint8Array): Bytes {
  const half = sha512(seed).subarray(0, 32);
  half[0] = (half[0] ?? 0) & 248;
  half[31] = ((half[31] ?? 0) & 63) | 64;
  const secret = fromBytes(half);
  const hash = fromBytes(sha512(encodedR, encode(multiply(secret, base)), message)) % order;
  return new Uint8Array(Buffer.concat([encodedR, toBytes((r + hash * secret) % order)]));
}

/** Valid only if both sides of the equation are multiplied by the cofactor. */
export function signCofactored(seed: Uint8Array, message: Uint8Array): Bytes {
  const r = fromBytes(sha512(seed, message)) % order;
  return signWith(seed, message, r, encode(add(multiply(r, base), torsion)));
}

/** Its R is the neutral element in a second encoding: valid only if R is decoded before it is compared. */
export function signWithSecondSpelling(seed: Uint8Array, message: Uint8Array): Bytes {
  return signWith(seed, message, 0n, toBytes(p + 1n));
}
