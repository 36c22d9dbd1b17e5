import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { RelayError, type RelayErrorName } from '../../relay-error.ts';
import type { Kind, Kinds } from './case.ts';
import { digestCases, freeze } from './frozen.ts';
import { renderVectors } from './render-vectors.ts';
import { runCase } from './run-case.ts';

interface Case {
  readonly name: string;
  readonly kind: Kind;
  readonly input: never;
  readonly output: unknown;
  /** The reason, or the code of an error without one. */
  readonly error: RelayErrorName;
}

const read = (path: string) => readFileSync(new URL(`../../../../../${path}`, import.meta.url), 'utf8');
const file = read('docs/crypto-vectors.json');
const frozen = read('packages/sdk/vectors/frozen.json');
const { valid, refused }: Record<'valid' | 'refused', Case[]> = JSON.parse(file);

// The tests of clients/python do the same with a program that shares no code with this package.
test.each(valid)('$name', async ({ kind, input, output }) => {
  expect(await runCase(kind, input)).toEqual(output);
});

test.each(refused)('$name: $error', async ({ kind, input, error }) => {
  const { code, reason } = new RelayError(error, '');
  await expect(runCase(kind, input)).rejects.toMatchObject({ code, reason });
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

describe('v4 is frozen', () => {
  test('no case has changed or is gone: what it says, other programs rely on', () => {
    const now = digestCases(file);
    const names = Object.keys(JSON.parse(frozen));
    expect(Object.fromEntries(names.map((name) => [name, now[name]]))).toEqual(JSON.parse(frozen));
  });

  test('new cases are frozen, too (npm run docs adds them)', () => {
    expect(freeze(file, frozen)).toBe(frozen);
  });

  test.each<[string, (vectors: string) => string]>([
    ['changed', (vectors) => vectors.replace('"text": "The second."', '"text": "The first."')],
    ['renamed', (vectors) => vectors.replace('"name": "the keys of an agent"', '"name": "an agent"')],
  ])('a case that was %s is not frozen again', (_, change) => {
    const vectors = change(file);
    expect(vectors).not.toBe(file);
    const later = JSON.parse(freeze(vectors, frozen));
    expect(later).toMatchObject(JSON.parse(frozen));
    expect(digestCases(vectors)).not.toMatchObject(JSON.parse(frozen));
  });
});
