import { expect, test } from '@jest/globals';
import { toIso } from './answer-types.ts';

test.each([
  ['2026-11-21 04:00:00+00', '2026-11-21T04:00:00.000Z'],
  ['2026-11-21 04:00:00.1+00', '2026-11-21T04:00:00.100Z'],
  ['2026-11-21 04:00:00.12+00', '2026-11-21T04:00:00.120Z'],
  ['2026-11-21 04:00:00.123+00', '2026-11-21T04:00:00.123Z'],
  ['2026-11-21 04:00:00.123456+00', '2026-11-21T04:00:00.123Z'],
])('%s is %s', (text, iso) => {
  expect(toIso(text)).toBe(iso);
  expect(new Date(text).toISOString()).toBe(iso);
});
