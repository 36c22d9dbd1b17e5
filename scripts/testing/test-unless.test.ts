import { expect, test } from '@jest/globals';
import { skippedLines } from '../jest/skipped.js';
import { testUnless } from './test-unless.ts';

test('is `test` where nothing is missing', () => {
  expect(testUnless(undefined)).toBe(test);
});

test('skipped tests are listed by reason; those that -t leaves out are not', () => {
  const file = 'test/a.test.ts';
  const pending = [
    { file, title: 'one (skipped: helm is missing)' },
    { file, title: 'left out' },
    { file, title: 'two (more) (skipped: psql (15) is missing)' },
    { file, title: 'three (skipped: helm is missing)' },
  ];
  expect(skippedLines(pending)).toEqual([
    '2 skipped: helm is missing',
    '    test/a.test.ts: one',
    '    test/a.test.ts: three',
    '1 skipped: psql (15) is missing',
    '    test/a.test.ts: two (more)',
  ]);
});
