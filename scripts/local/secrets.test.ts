import { createPrivateKey, createPublicKey } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { type Home, openHome } from './home.ts';
import { readSecrets } from './secrets.ts';

let home: Home;

beforeEach(() => {
  home = openHome(mkdtempSync(join(tmpdir(), 'secrets-')), {});
});

afterEach(() => rmSync(home.path, { recursive: true }));

test('secrets are made once, for our eyes only', () => {
  const first = readSecrets(home);
  expect(readSecrets(home)).toEqual(first);
  expect(statSync(home.file('secrets.json')).mode & 0o777).toBe(0o600);
  expect(new Set(Object.values(first.settings)).size).toBeGreaterThan(10);
});

test('the two halves of the stream token key belong together', () => {
  const { RELAY_STREAM_TOKEN_PRIVATE_KEY: privateKey = '', RELAY_STREAM_TOKEN_PUBLIC_KEYS: publicKey } =
    readSecrets(home).settings;
  const key = createPrivateKey({
    key: Buffer.from(privateKey, 'base64url'),
    format: 'der',
    type: 'pkcs8',
  });
  const half = createPublicKey(key).export({ type: 'spki', format: 'der' }).toString('base64url');
  expect(half).toBe(publicKey);
});

test('secrets that are missing in the file are added, and the others are kept', () => {
  const first = readSecrets(home);
  const { RELAY_SESSION_SECRET: removed, ...settings } = first.settings;
  writeFileSync(home.file('secrets.json'), JSON.stringify({ ...first, settings }));
  const now = readSecrets(home);
  expect(now).toMatchObject({ ...first, settings });
  expect(now.settings.RELAY_SESSION_SECRET).toMatch(/^k/);
  expect(now.settings.RELAY_SESSION_SECRET).not.toBe(removed);
});

test('a broken file is not replaced in silence', () => {
  writeFileSync(home.file('secrets.json'), '{');
  expect(() => readSecrets(home)).toThrow(/secrets\.json cannot be read: .*\. Repair it, or remove it/);
  expect(readFileSync(home.file('secrets.json'), 'utf8')).toBe('{');
});
