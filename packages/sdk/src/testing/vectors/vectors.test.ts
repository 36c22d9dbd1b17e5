import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { secondOpinion } from '../second-opinion/run-case.ts';
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

const implementations = [
  ['this package', runCase],
  ['a second implementation', async (kind: Kind, input: never) => secondOpinion[kind](input)],
] as const;

describe.each(implementations)('with %s', (_name, run) => {
  test.each(valid)('$name', async ({ kind, input, output }) => {
    expect(await run(kind, input)).toEqual(output);
  });

  test.each(refused)('$name: $error', async ({ kind, input, error }) => {
    await expect(run(kind, input)).rejects.toMatchObject({ code: error });
  });

  test.each(refused.filter(({ kind }) => kind === 'open'))(
    '$name: what came before it opens',
    async (one) => {
      const input: Kinds['open'][0] = one.input;
      const records = input.records.slice(0, -1);
      const before = await run('open', { ...input, records } as never);
      expect(before).toHaveProperty('opened.length', records.filter((record) => 'role' in record).length);
    },
  );
});

test('docs/crypto-vectors.json is what the code makes, with cases enough: else run npm run docs', async () => {
  expect(await renderVectors()).toBe(file);
  expect(valid.length).toBeGreaterThanOrEqual(20);
  expect(refused.length).toBeGreaterThanOrEqual(30);
});
