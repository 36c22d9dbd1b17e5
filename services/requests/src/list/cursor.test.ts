import { expect, test } from '@jest/globals';
import { formatCursor, parseCursor } from './cursor.ts';

const id = 'AAAAAAAAAAAAAAAAAAAAAA';
const encode = (text: string) => Buffer.from(text).toString('base64url');

test('a cursor is read as it was written', () => {
  const cursor = { createdAt: '2026-11-21T04:00:00.123Z', id };
  expect(parseCursor(formatCursor(cursor))).toEqual(cursor);
});

test.each([
  '',
  'nonsense',
  encode('2026-11-21T04:00:00.123Z'),
  encode(`2026-02-30T04:00:00.123Z ${id}`),
  encode(`2026-04-31T04:00:00.123Z ${id}`),
  encode(`2026-11-21T24:00:00.000Z ${id}`),
  encode(`+275760-09-13T00:00:00.000Z ${id}`),
  encode(`2026-11-21 ${id}`),
  encode(`2026-11-21T04:00:00.123Z ${id} more`),
  encode(`2026-11-21T04:00:00.123Z ${id.slice(1)}`),
])('anything else is none: %s', (text) => {
  expect(parseCursor(text)).toBeUndefined();
});
