import * as z from 'zod';

export type KeyAlgorithm = 'ed25519' | 'x25519';

/** The DER bytes before the 32 bytes of the key itself. */
const spkiStart = {
  ed25519: '302a300506032b6570032100',
  x25519: '302a300506032b656e032100',
} as const;

const begin = '-----BEGIN PUBLIC KEY-----';
const end = '-----END PUBLIC KEY-----';
/** A block has about 115 characters. More is allowed for white space. */
const maxLength = 1_000;

/**
 * Returns a sentence about the error in a public key; `undefined` when it is exactly one SPKI block of the algorithm. It
 * does not use Node's `createPublicKey`, which also accepts private keys, several keys and trailing text.
 */
export function checkPublicKey(algorithm: KeyAlgorithm, pem: string): string | undefined {
  const expected = `Expected one ${names[algorithm]} public key as PEM (-----BEGIN PUBLIC KEY-----).`;
  if (/PRIVATE KEY/.test(pem)) return `This is a private key: it was not kept. ${expected}`;
  const base64 = readBlock(pem);
  if (base64 === undefined) return expected;

  const der = Buffer.from(base64, 'base64');
  if (der.toString('base64') !== base64 || der.length !== 44) return expected;
  if (!der.toString('hex').startsWith(spkiStart[algorithm])) return expected;

  const point = Buffer.from(der.subarray(12));
  point[31] = (point[31] ?? 0) & 0x7f;
  if (smallOrderPoints[algorithm].has(point.toString('hex'))) {
    return `This key is a point of small order, which protects nothing. ${expected}`;
  }
  return undefined;
}

/** The base64 of the block, if the text is one block and white space. */
function readBlock(text: string): string | undefined {
  if (text.length > maxLength) return undefined;
  const block = text.replaceAll(/^[ \t\r\n]+|[ \t\r\n]+$/g, '');
  if (!block.startsWith(begin) || !block.endsWith(end)) return undefined;
  const body = block.slice(begin.length, -end.length);
  return /^[ \t\r\n][A-Za-z0-9+/= \t\r\n]+[ \t\r\n]$/.test(body) ? body.replaceAll(/\s/g, '') : undefined;
}

const names = { ed25519: 'Ed25519', x25519: 'X25519' } as const;

/** The schema of a public key in a body. */
export const publicKey = (algorithm: KeyAlgorithm) =>
  z.string({ error: 'Expected a text.' }).superRefine((pem, context) => {
    const message = checkPublicKey(algorithm, pem);
    if (message) context.addIssue({ code: 'custom', message });
  });

/*
 * Points of small order, little-endian, sign or top bit cleared. With such an X25519 key every shared
 * secret is zero; such an Ed25519 key accepts one signature for every message.
 */

const fill = (first: string, middle: string, last: string) => first + middle.repeat(30) + last;

const zero = fill('00', '00', '00');
const one = fill('01', '00', '00');
const primeMinusOne = fill('ec', 'ff', '7f');
const prime = fill('ed', 'ff', '7f');
const primePlusOne = fill('ee', 'ff', '7f');

export const smallOrderPoints = {
  ed25519: new Set([
    zero,
    one,
    primeMinusOne,
    prime,
    primePlusOne,
    '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
    'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  ]),
  x25519: new Set([
    zero,
    one,
    primeMinusOne,
    prime,
    primePlusOne,
    'e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800',
    '5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157',
  ]),
} as const;
