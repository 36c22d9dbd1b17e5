import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { exitCodes } from './exit-codes.ts';

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');

test('the README has every exit code, as the commands have them', () => {
  const rows = Object.entries(exitCodes).map(
    ([name, { code, means }]) => `| ${code} | \`${name}\` | ${means} |\n`,
  );
  expect(readme).toContain(rows.join(''));
});

test('no two outcomes have one code', () => {
  const codes = Object.values(exitCodes).map(({ code }) => code);
  expect(new Set(codes).size).toBe(codes.length);
});
