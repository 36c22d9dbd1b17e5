import { generateKeyPairSync } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { makeAgentKeys, restoreAgentKeys } from './agent-keys.ts';
import { parsePublicKey } from './public-key.ts';

test('keys are different each time, and the same after a restore', async () => {
  const [one, other] = [await makeAgentKeys(), await makeAgentKeys()];
  expect(one.signPublic.pem).not.toBe(other.signPublic.pem);
  expect(one.encryptPublic.pem).not.toBe(other.encryptPublic.pem);
  const again = await restoreAgentKeys(JSON.parse(JSON.stringify(one.export())));
  expect([again.signPublic, again.encryptPublic]).toEqual([one.signPublic, one.encryptPublic]);
  expect(await again.agree(other.encryptPublic)).toEqual(await other.agree(one.encryptPublic));
});

test('an error does not contain the keys', async () => {
  const { sign, encrypt } = (await makeAgentKeys()).export();
  const error: unknown = await restoreAgentKeys({ sign, encrypt: encrypt.slice(1) }).catch(
    (thrown) => thrown,
  );
  expect(error).toMatchObject({ code: 'invalid_input' });
  expect(JSON.stringify(error) + String(error)).not.toContain(encrypt.slice(1, 20));
});

test.each([
  ['sign', 'ed25519'],
  ['encrypt', 'x25519'],
] as const)('a key that OpenSSL wrote for %s is read, and written in the same form', (kind, algorithm) => {
  const { publicKey } = generateKeyPairSync(algorithm as 'ed25519');
  const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
  expect(parsePublicKey(pem, kind).pem).toBe(pem);
});

test.each([undefined, null, 7, {}, `-----BEGIN PUBLIC KEY-----${' '.repeat(1_000_000)}`])(
  'a value that is no key is refused at once',
  (pem) => {
    expect(() => parsePublicKey(pem, 'sign')).toThrow(
      expect.objectContaining({ reason: 'invalid_public_key' }),
    );
  },
);
