import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { exitCodes } from './exit-codes.ts';

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');

test('the README has all exit codes', () => {
  const rows = Object.entries(exitCodes).map(
    ([name, { code, means }]) => `| ${code} | \`${name}\` | ${means} |\n`,
  );
  expect(readme).toContain(rows.join(''));
});

test('each outcome has its own code', () => {
  const codes = Object.values(exitCodes).map(({ code }) => code);
  expect(new Set(codes).size).toBe(codes.length);
});
