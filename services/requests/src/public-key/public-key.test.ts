import { createPublicKey, diffieHellman, generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { checkPublicKey, smallOrderPoints } from './public-key.ts';

const pair = (algorithm: 'ed25519' | 'x25519') => {
  const { publicKey, privateKey } = generateKeyPairSync(algorithm as 'ed25519');
  return {
    privateKey,
    publicPem: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    privatePem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
};
const start = { ed25519: '302a300506032b6570032100', x25519: '302a300506032b656e032100' };
const pemOf = (algorithm: 'ed25519' | 'x25519', point: string) =>
  `-----BEGIN PUBLIC KEY-----\n${Buffer.from(start[algorithm] + point, 'hex').toString('base64')}\n-----END PUBLIC KEY-----\n`;

describe.each(['ed25519', 'x25519'] as const)('%s', (algorithm) => {
  const { publicPem, privatePem } = pair(algorithm);

  test('a new key is accepted, with any line ends', () => {
    expect(checkPublicKey(algorithm, publicPem)).toBeUndefined();
    expect(checkPublicKey(algorithm, publicPem.trim())).toBeUndefined();
    expect(checkPublicKey(algorithm, publicPem.replaceAll('\n', '\r\n'))).toBeUndefined();
  });

  test('the other algorithm is refused', () => {
    expect(checkPublicKey(algorithm === 'x25519' ? 'ed25519' : 'x25519', publicPem)).toMatch(/^Expected one/);
  });

  test('a private key is refused, alone or after a public one', () => {
    expect(checkPublicKey(algorithm, privatePem)).toMatch(/^This is a private key: it was not kept/);
    expect(checkPublicKey(algorithm, publicPem + privatePem)).toMatch(/^This is a private key/);
  });

  test.each([
    ['an empty text', ''],
    ['two keys', publicPem + publicPem],
    ['trailing text', `${publicPem}x`],
    ['leading text', `x${publicPem}`],
    ['no line breaks', publicPem.replaceAll('\n', '')],
    ['white space that is not ASCII', `\u00a0${publicPem}`],
    ['bad base64', publicPem.replace('MC', 'M*')],
    ['a byte more', pemOf(algorithm, `${'11'.repeat(32)}00`)],
    ['a byte less', pemOf(algorithm, '11'.repeat(31))],
    ['bare base64', publicPem.split('\n')[1] ?? ''],
    ['an end line inside the first line', '-----BEGIN PUBLIC KEY-----END PUBLIC KEY-----'],
    // A regular expression that searches for the end from each position would take very long.
    ['half a megabyte of white space', `-----BEGIN PUBLIC KEY-----${' '.repeat(500_000)}`],
    ['the same before a valid key', `${' '.repeat(500_000)}${publicPem}`],
  ])('%s is refused', (_name, pem) => {
    expect(checkPublicKey(algorithm, pem)).toMatch(/^Expected one/);
  });

  test.each([...smallOrderPoints[algorithm]])(
    'the point %s is refused with both values of its top bit',
    (point) => {
      const flipped = point.slice(0, 62) + (Number.parseInt(point.slice(62), 16) | 0x80).toString(16);
      expect(checkPublicKey(algorithm, pemOf(algorithm, point))).toMatch(/small order/);
      expect(checkPublicKey(algorithm, pemOf(algorithm, flipped))).toMatch(/small order/);
    },
  );
});

test.each([...smallOrderPoints.x25519])('OpenSSL agrees that %s gives no secret', (point) => {
  const { privateKey } = pair('x25519');
  const publicKey = createPublicKey(pemOf('x25519', point));
  expect(() => diffieHellman({ privateKey, publicKey })).toThrow();
});
