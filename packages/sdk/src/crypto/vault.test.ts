import { expect, test } from '@jest/globals';
import { makeRoot, openExpertKeys } from './expert-keys.ts';
import { makeRecoveryCode, parseRecoveryCode } from './recovery-code.ts';
import { openVault, sealVault } from './vault.ts';

test('a new device gets the same expert from the vault and the code', async () => {
  const [root, code] = [makeRoot(), await makeRecoveryCode()];
  const vault = JSON.parse(JSON.stringify(await sealVault(root, code)));
  const again = await openVault(vault, code.toLowerCase());
  expect(again).toEqual(root);
  expect((await openExpertKeys(again)).fingerprint).toBe((await openExpertKeys(root)).fingerprint);
});

test('codes are different each time, in seven groups of four characters', async () => {
  const codes = await Promise.all(Array.from({ length: 50 }, () => makeRecoveryCode()));
  expect(new Set(codes).size).toBe(50);
  for (const code of codes) {
    expect(code).toMatch(/^([0-9A-HJKMNP-TV-Z]{4}-){6}[0-9A-HJKMNP-TV-Z]{4}$/);
    expect(await parseRecoveryCode(code)).toBe(code.replaceAll('-', '').slice(0, 26));
  }
});

test.each([undefined, null, 'text', {}, { scheme: 'expert-relay/v4' }])(
  '%j is refused as a vault',
  async (vault) => {
    const opening = openVault(vault as never, await makeRecoveryCode());
    await expect(opening).rejects.toMatchObject({ name: 'RelayError', reason: 'malformed_vault' });
  },
);

test('a root of another length is refused', async () => {
  const sealing = sealVault(new Uint8Array(31), await makeRecoveryCode());
  await expect(sealing).rejects.toMatchObject({ code: 'invalid_input' });
});
