import { expect, test } from '@jest/globals';
import { formatCursor, parseCursor } from './cursor.ts';

const id = 'AAAAAAAAAAAAAAAAAAAAAA';
const idPattern = /^A{22}$/;
const encode = (text: string) => Buffer.from(text).toString('base64url');

test('parsing a formatted cursor returns the same cursor', () => {
  const cursor = { at: '2026-11-21T04:00:00.123Z', id };
  expect(parseCursor(formatCursor(cursor), idPattern)).toEqual(cursor);
});

test.each([
  '',
  'other',
  encode('2026-11-21T04:00:00.123Z'),
  encode(`2026-02-30T04:00:00.123Z ${id}`),
  encode(`2026-04-31T04:00:00.123Z ${id}`),
  encode(`2026-11-21T24:00:00.000Z ${id}`),
  encode(`+275760-09-13T00:00:00.000Z ${id}`),
  encode(`2026-11-21 ${id}`),
  encode(`2026-11-21T04:00:00.123Z ${id} more`),
  encode(`2026-11-21T04:00:00.123Z ${id.slice(1)}`),
])('another text is not a cursor: %s', (text) => {
  expect(parseCursor(text, idPattern)).toBeUndefined();
});
