import { expect, test } from '@jest/globals';
import { epochOf } from '../nats/nats-stream.ts';
import { checkOf, formatPosition, noCheck, parsePosition } from './position.ts';

test.each([
  { epoch: 'mi7x3k2a', sequence: 0, check: '00000000' },
  { epoch: 'mi7x3k2a', sequence: 9_007_199_254_740, check: 'deadbeef' },
  { epoch: 'mi7x3k2a', sequence: 7, check: 'deadbeef', copiesSent: 1 as const },
])('$epoch.$sequence.$check is the same after formatting and parsing', (position) => {
  expect(parsePosition(formatPosition(position))).toEqual(position);
});

test.each([
  '',
  'earliest',
  '12',
  'a.b.c',
  'a.1.deadbeef.0',
  'a.1.deadbeef.2',
  'a.1.deadbeef.01',
  'a.1.deadbeef.1234567',
  'a.1.deadbeef.1.1',
  'a.01.deadbeef',
  'a.-1.deadbeef',
  'A.1.deadbeef',
  'a.1.DEADBEEF',
  'a.1.deadbee',
  'a.1.deadbeef\n',
  'a.99999999999999999.deadbeef',
])('%j is not a position', (text) => {
  expect(parsePosition(text)).toBeUndefined();
});

test('the check is the random end of a UUID', () => {
  expect(checkOf('0190D6A2-7B1C-7000-8000-0123456789AB')).toBe('456789ab');
  expect(checkOf('')).toBe(noCheck);
});

test('the epoch is the time at which the stream was created', () => {
  expect(epochOf('2025-11-21T03:42:11.123456789Z')).toBe(Date.UTC(2025, 10, 21, 3, 42, 11, 123).toString(36));
});
