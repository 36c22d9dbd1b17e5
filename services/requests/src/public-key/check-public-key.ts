import { smallOrderPoints } from './small-order.ts';

export type KeyAlgorithm = 'ed25519' | 'x25519';

/** The DER bytes before the 32 bytes of the key itself. */
const spkiStart = {
  ed25519: '302a300506032b6570032100',
  x25519: '302a300506032b656e032100',
} as const;

const begin = '-----BEGIN PUBLIC KEY-----';
const end = '-----END PUBLIC KEY-----';
/** A block has about 115 characters: room for white space, and none for what would be work to read. */
const longest = 1_000;

/**
 * What is wrong with a public key, as a sentence; `undefined` when it is exactly one SPKI block of the
 * algorithm. Written out, since Node's `createPublicKey` takes private keys, several keys and junk too.
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

/** The base64 of the one block that a text consists of, white space apart. */
function readBlock(text: string): string | undefined {
  if (text.length > longest) return undefined;
  const block = text.replaceAll(/^[ \t\r\n]+|[ \t\r\n]+$/g, '');
  if (!block.startsWith(begin) || !block.endsWith(end)) return undefined;
  const body = block.slice(begin.length, -end.length);
  return /^[ \t\r\n][A-Za-z0-9+/= \t\r\n]+[ \t\r\n]$/.test(body) ? body.replaceAll(/\s/g, '') : undefined;
}

const names = { ed25519: 'Ed25519', x25519: 'X25519' } as const;
