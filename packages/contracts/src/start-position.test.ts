import { expect, test } from '@jest/globals';
import { parseStartPosition, startPositionOf } from './start-position.ts';

test('the position is read as a time before the one that it was made of', () => {
  const createdAt = Date.UTC(2026, 10, 26, 12);
  expect(parseStartPosition(startPositionOf(createdAt))).toBe(createdAt - 10_000);
});

test.each(['', '@', '12', '@-1', '@1.5', '@1e9', ' @1', '@1\n', `@${'9'.repeat(16)}`, 'mi7x3k2a.1.deadbeef'])(
  'refuses %j',
  (text) => {
    expect(parseStartPosition(text)).toBeUndefined();
  },
);
