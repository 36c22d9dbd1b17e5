import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { chart } from './testing/helm.ts';

/* The steps of rotate-secrets.mjs. test/operations/rotations.test.ts runs them during calls. */

const before = {
  RELAY_PRINCIPAL_KEY_GATEWAY_REQUESTS: '2026-01-01:old',
  RELAY_SESSION_SECRET: 'kold',
  RELAY_ENDPOINT_KEYS: '2026-01-01:old',
  RELAY_STREAM_TOKEN_PUBLIC_KEYS: 'old',
  RELAY_STREAM_TOKEN_PRIVATE_KEY: 'old',
  DATABASE_URL: 'postgres://relay@postgres.example/relay',
};
type Values = Record<string, string>;

/** The values after a step; it fails with what the program says. */
async function step(name: string, values: Values): Promise<Values> {
  const data = map(values, (value) => Buffer.from(value).toString('base64'));
  const running = promisify(execFile)(process.execPath, [join(chart, 'rotate-secrets.mjs'), name]);
  running.child.stdin?.end(JSON.stringify({ kind: 'Secret', data }));
  const { stdout } = await running;
  return map(JSON.parse(stdout).data, (value) => Buffer.from(value, 'base64').toString());
}

const map = (values: Values, change: (value: string) => string): Values =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]));

const sessionKeys = ({ RELAY_SESSION_SECRET = '' }: Values) => RELAY_SESSION_SECRET.split(',');

test('a step whose rollout broke off can be repeated: it changes nothing again', async () => {
  const added = await step('add', before);
  expect(sessionKeys(added)).toEqual(['kold', expect.stringMatching(/^k.{43}$/)]);
  expect(await step('add', added)).toEqual(added);

  const used = await step('use', added);
  expect(sessionKeys(used)).toEqual(sessionKeys(added).reverse());
  expect(await step('use', used)).toEqual(used);

  const dropped = await step('drop', used);
  expect(sessionKeys(dropped)).toEqual(sessionKeys(used).slice(0, 1));
  expect(dropped.DATABASE_URL).toBe(before.DATABASE_URL);
  expect(Object.keys(dropped).sort()).toEqual(Object.keys(before).sort());
  expect(await step('drop', dropped)).toEqual(dropped);
});

test('a step in the wrong order is refused', async () => {
  await expect(step('use', before)).rejects.toThrow('There is no new key: the first step is "add".');
  const added = await step('add', before);
  await expect(step('drop', added)).rejects.toThrow('The new key is not used yet: the next step is "use".');
  const used = await step('use', added);
  await expect(step('add', used)).rejects.toThrow('The new key is used already: repeat "use"');
  await expect(step('add', { DATABASE_URL: 'x' })).rejects.toThrow('This is not the Secret of a relay');
});
