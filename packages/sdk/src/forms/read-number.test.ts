import { expect, test } from '@jest/globals';
import { parseExactly } from './parse-exactly.ts';
import { readNumber } from './read-number.ts';

test.each([
  ['0', 0],
  ['-0', -0],
  ['0.000', 0],
  ['0e99', 0],
  ['7.', 7],
  ['+.5', 0.5],
  ['-1.50', -1.5],
  ['1e3', 1_000],
  ['1000e-3', 1],
  ['0.1', 0.1],
  ['1e21', 1e21],
  ['1e-7', 1e-7],
  [' 100000000000000000000000 ', 1e23],
  ['123456789012345680000', 123456789012345680000],
  ['-1.2345678901234567e-100', -1.2345678901234567e-100],
  ['9007199254740991', 9007199254740991],
])('%j is sent as it was typed', (text, value) => {
  expect(readNumber(text)).toMatchObject({ value, isExact: true });
});

test.each([
  ['9007199254740993', 9007199254740992],
  ['1234567890123456789', 1234567890123456800],
  ['0.30000000000000001', 0.3],
  ['4.9999999999999999', 5],
  ['1.000000000000000000001', 1],
  ['1e-400', 0],
  ['-1e400', Number.NEGATIVE_INFINITY],
])('%j is sent as another number', (text, value) => {
  expect(readNumber(text)).toMatchObject({ value, isExact: false });
});

test.each([
  ['3.0', true],
  ['30e-1', true],
  ['1e-400', false],
  ['4.9999999999999999', false],
  ['9007199254740990.6', false],
  ['0.0', true],
  ['1.5e1', true],
])('%j is an integer: %j', (text, isWhole) => {
  expect(readNumber(text)?.isWhole).toBe(isWhole);
});

test.each(['', ' ', '1,5', '0x10', 'Infinity', 'NaN', 'e3', '1 2', '--1', '.', '1e', '1e1.5'])(
  '%j is no number',
  (text) => {
    expect(readNumber(text)).toBeUndefined();
  },
);

test.each([
  `1${'0'.repeat(1_000_000)}1`,
  `${'1'.repeat(1_000_000)}x`,
  `0.${'0'.repeat(1_000_000)}1`,
  `1e${'1'.repeat(1_000_000)}`,
])('a number of a million characters is none, and takes no time', (text) => {
  const { user } = process.cpuUsage();
  expect(readNumber(text)).toBeUndefined();
  expect(parseExactly(`[${text}]`)).toBeUndefined();
  // Time that grows with the square would be an hour.
  expect(process.cpuUsage().user - user).toBeLessThan(10_000_000);
});
