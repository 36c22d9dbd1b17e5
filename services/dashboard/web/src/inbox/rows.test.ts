import { describe, expect, test } from '@jest/globals';
import { requestRow as row } from '../testing/requests.ts';
import {
  applyEvent,
  type Filter,
  moveCount,
  putPage,
  putRows,
  type RequestEvent,
  type Rows,
  rowsOf,
} from './rows.ts';

const now = '2026-11-22T12:00:00.000Z';
const event = (
  type: RequestEvent['type'],
  minute: number,
  change: Partial<RequestEvent> = {},
): RequestEvent => ({
  type,
  requestId: `request-${minute}`,
  refCode: undefined,
  from: undefined,
  messageId: undefined,
  reason: 'closed',
  ...change,
});
const asked = (minute: number) => event('new_message', minute, { from: 'agent' });
const answered = (minute: number) => event('new_message', minute, { from: 'expert' });
const closed = (minute: number) => event('request_closed', minute);

const apply = (rows: Rows, ...events: RequestEvent[]): Rows =>
  events.reduce((rows, event) => {
    const known = rows.find(({ requestId }) => requestId === event.requestId);
    const changed = applyEvent(known, event, now);
    return changed ? putRows(rows, [changed]) : rows;
  }, rows);
const minutesOf = (rows: Rows) => rows.map(({ requestId }) => Number(requestId.split('-')[1]));
const shown = (rows: Rows, filter: Filter, q?: string) =>
  minutesOf(rowsOf(rows, { filter, ...(q && { q }) }, undefined));

describe('an event', () => {
  const rows = putRows([], [row(1), row(2), row(3)]);

  test('moves a request to the list where the relay would show it', () => {
    const after = apply(rows, answered(2));
    expect(shown(after, 'waiting')).toEqual([3, 1]);
    expect(shown(after, 'answered')).toEqual([2]);
    expect(shown(apply(after, asked(2)), 'waiting')).toEqual([3, 2, 1]);
    expect(shown(apply(after, closed(2), closed(3)), 'ended')).toEqual([3, 2]);
  });

  test('about an expiry makes the request expired', () => {
    const [expired] = apply([row(1)], event('request_closed', 1, { reason: 'expired' }));
    expect(expired).toMatchObject({ status: 'expired', lastActivityAt: now });
  });

  test('that arrives twice changes nothing the second time', () => {
    for (const one of [event('new_request', 2), event('key_exchange', 2), closed(2)]) {
      const after = apply(rows, one);
      expect(apply(after, one)).toEqual(after);
    }
    expect(shown(apply(rows, answered(2), answered(2)), 'answered')).toEqual([2]);
  });

  test('that arrives after the end changes nothing', () => {
    const after = apply(rows, closed(2));
    expect(apply(after, asked(2), answered(2), event('new_request', 2))).toEqual(after);
  });

  test('about a new request makes a row', () => {
    const after = apply(rows, event('new_request', 4, { refCode: 'HS-00000004' }));
    expect(after[0]).toMatchObject({ refCode: 'HS-00000004', question: '', createdAt: now });
    expect(after[0]?.agent).toBeUndefined();
    expect(shown(after, 'waiting')).toEqual([4, 3, 2, 1]);
  });

  test('about an unknown request makes no row', () => {
    for (const one of [asked(9), answered(9), closed(9), event('key_exchange', 9)]) {
      expect(applyEvent(undefined, one, now)).toBeUndefined();
    }
  });

  test('does not show a request below the last page that was read', () => {
    const after = apply(putRows(rows, [row(0, { status: 'responded', turn: 'agent' })]), asked(0));
    expect(minutesOf(rowsOf(after, { filter: 'waiting' }, row(1)))).toEqual([3, 2, 1]);
    expect(minutesOf(rowsOf(after, { filter: 'waiting' }, row(0)))).toEqual([3, 2, 1, 0]);
  });
});

describe('a page that was read', () => {
  const waiting = { filter: 'waiting' } as const;
  const page = { listing: waiting, after: undefined, hasNext: false };

  test('replaces a row that was made from an event', () => {
    const provisional = apply([row(1)], event('new_request', 4));
    const after = putPage(provisional, { ...page, requests: [row(4), row(1)] }, [], now);
    expect(after).toEqual([row(4), row(1)]);
  });

  test('does not undo an event that arrived while it was being read', () => {
    const before = putRows([], [row(1), row(2)]);
    const events = [answered(2), event('new_request', 4), closed(3)];
    // Request 3 was unknown, and the page shows it as it was before the event.
    const after = putPage(
      apply(before, ...events),
      { ...page, requests: [row(3), row(2), row(1)] },
      events,
      now,
    );
    expect(shown(after, 'waiting')).toEqual([4, 1]);
    expect(shown(after, 'answered')).toEqual([2]);
    expect(shown(after, 'ended')).toEqual([3]);
  });

  test('removes rows that should be on it and are not, within its range and its filter', () => {
    const before = putRows([], [row(1), row(2), row(3), row(4), row(5, { status: 'closed' })]);
    const after = putPage(
      before,
      { listing: waiting, after: row(4), requests: [row(2)], hasNext: true },
      [],
      now,
    );
    expect(minutesOf(after)).toEqual([5, 4, 2, 1]);
  });
});

test('rows of the same millisecond are ordered by their ids, as the relay orders them', () => {
  const same = ['b', 'Z', 'a', '_'].map((requestId) => row(1, { requestId }));
  expect(putRows(putRows([], same.slice(0, 2)), same.slice(2)).map(({ requestId }) => requestId)).toEqual([
    'b',
    'a',
    '_',
    'Z',
  ]);
});

test('a search finds what the relay finds', () => {
  const rows = putRows(
    [],
    [row(1), row(2, { refCode: 'HS-1L0A', question: 'Größe?', tags: ['EU west'] }), row(3)],
  );
  expect(shown(rows, 'waiting', 'LOCK 3')).toEqual([3]);
  expect(shown(rows, 'waiting', 'GRÖSSE')).toEqual([]);
  expect(shown(rows, 'waiting', 'größe')).toEqual([2]);
  expect(shown(rows, 'waiting', 'eu WEST')).toEqual([2]);
  expect(shown(rows, 'waiting', 'hs-00000001')).toEqual([1]);
  expect(shown(rows, 'waiting', ' ooooooo1 ')).toEqual([1]);
  expect(shown(rows, 'answered', 'lock')).toEqual([]);
});

describe('a count', () => {
  const counts = { waiting: 3, answered: '999+', ended: 999 };

  test('changes when a request moves from one filter to another', () => {
    expect(moveCount(counts, 'waiting', 'ended')).toEqual({ waiting: 2, answered: '999+', ended: '999+' });
    expect(moveCount(counts, undefined, 'waiting')).toEqual({ ...counts, waiting: 4 });
  });

  test('of 999+ stays until it is read again', () => {
    expect(moveCount(counts, 'answered', 'waiting')).toEqual({ ...counts, waiting: 4 });
    expect(moveCount(counts, 'waiting', 'answered')).toEqual({ ...counts, waiting: 2 });
  });

  test('stays when no request moves, and is never negative', () => {
    expect(moveCount(counts, 'waiting', 'waiting')).toBe(counts);
    expect(moveCount({ ...counts, waiting: 0 }, 'waiting', 'answered').waiting).toBe(0);
  });
});
