import { expect, test } from '@jest/globals';
import { requestRow } from '../testing/requests.ts';
import { arrangeRows, isSnoozed } from './arrange-rows.ts';

const at = (hour: number) => `2026-11-21T${String(hour).padStart(2, '0')}:00:00.000Z`;
const row = (minute: number, expires: number) => requestRow(minute, { expiresAt: at(expires) });
const rows = [row(4, 22), row(3, 20), row(2, 14), row(1, 17)];
const plain = { order: 'newest', now: Date.parse(at(12)) } as const;

test.each([
  ['newest first', {}, [4, 3, 2, 1]],
  ['least time left first', { order: 'time-left' }, [2, 1, 3, 4]],
] as const)('%s', (_, change, expected) => {
  const arranged = arrangeRows(rows, { ...plain, ...change });
  expect(arranged.map(({ requestId }) => requestId)).toEqual(expected.map((minute) => `request-${minute}`));
});

test('snoozed ones are last, until their time', () => {
  const withSnoozes = rows.map((one, index) =>
    index === 0 ? { ...one, snoozedUntil: at(11) } : index === 1 ? { ...one, snoozedUntil: at(13) } : one,
  );
  expect(withSnoozes.map((one) => isSnoozed(one, plain.now))).toEqual([false, true, false, false]);
  expect(arrangeRows(withSnoozes, plain).map(({ requestId }) => requestId)).toEqual(
    [4, 2, 1, 3].map((minute) => `request-${minute}`),
  );
});
