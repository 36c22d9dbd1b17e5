import { describe, expect, test } from '@jest/globals';
import { keyExchange, keyPair, publicPem } from '../black-box/samples.ts';
import { useRelay } from '../black-box/use-relay.ts';
import { row } from './contract.ts';

const setup = useRelay();

const spki = { ed25519: '302a300506032b6570032100', x25519: '302a300506032b656e032100' };
const pemOf = (der: string) =>
  `-----BEGIN PUBLIC KEY-----\n${Buffer.from(der, 'hex').toString('base64')}\n-----END PUBLIC KEY-----\n`;

/** The four members that are public keys. */
const members = [
  { member: 'consumerSignPubKey', algorithm: 'ed25519', other: 'x25519' },
  { member: 'consumerEncryptPubKey', algorithm: 'x25519', other: 'ed25519' },
  { member: 'providerSignPubKey', algorithm: 'ed25519', other: 'x25519' },
  { member: 'providerEncryptPubKey', algorithm: 'x25519', other: 'ed25519' },
] as const;

describe.each(members)(`${row('decisions', 'public keys')}: $member`, ({ member, algorithm, other }) => {
  const { publicPem: pem, privatePem } = keyPair(algorithm);

  async function send(value: unknown) {
    if (member.startsWith('consumer')) return setup.alice.consumer.submit({ [member]: value });
    const { requestId } = await setup.alice.consumer.newRequest();
    return setup.alice.provider.post(`/api/v1/key-exchange/${requestId}`, {
      ...keyExchange(),
      [member]: value,
    });
  }

  test.each([
    ['as exported', pem],
    ['without its last line end', pem.trim()],
    ['with Windows line ends', pem.replaceAll('\n', '\r\n')],
    ['with space around it', `\n  ${pem}\n\n`],
  ])('a key %s is accepted', async (_name, value) => {
    expect((await send(value)).status).toBeLessThan(300);
  });

  test.each([
    ['a key of the other algorithm', publicPem(other)],
    ['a private key', privatePem],
    ['a private key after the public one', pem + privatePem],
    ['two keys', pem + publicPem(algorithm)],
    ['text after the key', `${pem}junk`],
    ['text before the key', `junk${pem}`],
    ['base64 without a PEM header', pem.split('\n')[1]],
    ['the PEM header of an RSA key', pem.replaceAll('PUBLIC KEY', 'RSA PUBLIC KEY')],
    ['the PEM header of a certificate', pem.replaceAll('PUBLIC KEY', 'CERTIFICATE')],
    ['one byte too many', pemOf(`${spki[algorithm]}${'11'.repeat(33)}`)],
    ['one byte too few', pemOf(`${spki[algorithm]}${'11'.repeat(31)}`)],
    ['a point of order one', pemOf(`${spki[algorithm]}01${'00'.repeat(31)}`)],
    ['the zero point', pemOf(`${spki[algorithm]}${'00'.repeat(32)}`)],
    ['an empty text', ''],
    ['a number', 5],
    ['a JWK', { kty: 'OKP', crv: 'X25519', x: 'AAAA' }],
  ])('%s: 400', async (_name, value) => {
    const response = await send(value);
    expect(response.status).toBe(400);
    expect(response.json.fields).toEqual([expect.objectContaining({ path: member })]);
    expect(response.text).not.toContain(privatePem.split('\n')[1]);
  });
});
