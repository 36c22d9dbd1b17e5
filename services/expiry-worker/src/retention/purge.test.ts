import { expect, test } from '@jest/globals';
import { isHourOf, purgeHoursPattern } from './purge.ts';

const hoursOf = (hours: string) =>
  Array.from({ length: 24 }, (_, hour) => hour).filter((hour) => isHourOf(hours, hour));

test.each([
  ['1-4', [1, 2, 3]],
  ['22-2', [0, 1, 22, 23]],
  ['23-24', [23]],
  ['0-1', [0]],
])('%s is these hours', (hours, expected) => {
  expect(purgeHoursPattern.test(hours)).toBe(true);
  expect(hoursOf(hours)).toEqual(expected);
});

test.each(['0-24', '0-0', '7-7'])('%s is the whole day', (hours) => {
  expect(hoursOf(hours)).toHaveLength(24);
});

test.each(['', '1', '1-25', 'night', '1-4 '])('%j is refused', (hours) => {
  expect(purgeHoursPattern.test(hours)).toBe(false);
});
