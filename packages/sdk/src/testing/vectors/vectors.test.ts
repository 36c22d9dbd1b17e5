import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import type { Kind, Kinds } from './case.ts';
import { renderVectors } from './render-vectors.ts';
import { runCase } from './run-case.ts';

interface Case {
  readonly name: string;
  readonly kind: Kind;
  readonly input: never;
  readonly output: unknown;
  readonly error: string;
}

const url = new URL('../../../../../docs/crypto-vectors.json', import.meta.url);
const file = readFileSync(url, 'utf8');
const { valid, refused }: Record<'valid' | 'refused', Case[]> = JSON.parse(file);

// `test/examples/python-vectors.test.ts` does the same with a program that shares no code with this package.
test.each(valid)('$name', async ({ kind, input, output }) => {
  expect(await runCase(kind, input)).toEqual(output);
});

test.each(refused)('$name: $error', async ({ kind, input, error }) => {
  await expect(runCase(kind, input)).rejects.toMatchObject({ code: error });
});

test.each(refused.filter(({ kind }) => kind === 'open'))(
  '$name: the records before it are opened',
  async (one) => {
    const input: Kinds['open'][0] = one.input;
    const records = input.records.slice(0, -1);
    const before = await runCase('open', { ...input, records } as never);
    expect(before).toHaveProperty('opened.length', records.filter((record) => 'role' in record).length);
  },
);

test('docs/crypto-vectors.json is up to date, with enough cases (npm run docs renders it)', async () => {
  expect(await renderVectors()).toBe(file);
  expect(valid.length).toBeGreaterThanOrEqual(20);
  expect(refused.length).toBeGreaterThanOrEqual(30);
});
