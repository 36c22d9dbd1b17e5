import { describe, expect, test } from '@jest/globals';
import { requestRow as row } from '../testing/requests.ts';
import { foundRows, groupByFilter, type Listing, putPage, putRows, type Rows, rowsOf } from './rows.ts';

const answered = { status: 'responded', turn: 'agent' } as const;
const minutesOf = (rows: Rows) => rows.map(({ requestId }) => Number(requestId.split('-')[1]));
/** The same request with later activity. */
const later = (minute: number, at: number, change = {}) =>
  row(minute, { ...change, lastActivityAt: row(at).lastActivityAt });

describe('a page that was read', () => {
  const page = { listing: { filter: 'waiting' }, after: undefined, hasNext: false } as const;
  const before = putRows([], [row(1), row(2), row(3), row(4), row(5, { status: 'closed' })]);

  test('moves a request to the list where the relay shows it, and to its beginning', () => {
    const after = putPage(before, { ...page, listing: {}, requests: [later(1, 9, answered), row(5)] });
    expect(minutesOf(rowsOf(after, { filter: 'answered' }, undefined))).toEqual([1]);
    expect(minutesOf(rowsOf(putRows(after, [later(1, 10)]), { filter: 'waiting' }, undefined))).toEqual([
      1, 5,
    ]);
  });

  test('removes rows that should be on it and are not, within its range and its filter', () => {
    const after = putPage(before, { ...page, after: row(4), requests: [row(2)], hasNext: true });
    expect(minutesOf(after)).toEqual([5, 4, 2, 1]);
    expect(minutesOf(putPage(before, { ...page, requests: [row(4), row(2)] }))).toEqual([5, 4, 2]);
  });

  test('of an older call does not undo what was read since', () => {
    const since = putRows(before, [later(1, 9, answered), row(8)]);
    const after = putPage(since, { ...page, requests: [row(4), row(3), row(2), row(1)] });
    expect(minutesOf(rowsOf(after, { filter: 'answered' }, undefined))).toEqual([1]);
    expect(minutesOf(rowsOf(after, { filter: 'waiting' }, undefined))).toEqual([8, 4, 3, 2]);
  });
});

test('a list can be limited to an agent and a tag', () => {
  const agent = { keyId: 'other', name: 'other' };
  const rows = putRows([], [row(1, { tags: ['a', 'b'] }), row(2, { agent, tags: ['a'] }), row(3, answered)]);
  const minutes = (listing: Listing) => minutesOf(rowsOf(rows, listing, undefined));
  expect(minutes({ tag: 'a' })).toEqual([2, 1]);
  expect(minutes({ tag: 'a', keyId: 'key' })).toEqual([1]);
  expect(minutes({ keyId: 'key' })).toEqual([3, 1]);
  expect(minutes({ keyId: 'key', filter: 'answered' })).toEqual([3]);
  // A page of this list says nothing about the requests of others.
  const page = { listing: { keyId: 'key' }, after: undefined, requests: [row(3, answered)], hasNext: false };
  expect(minutesOf(putPage(rows, page))).toEqual([3, 2]);
});

test('a list ends where its last page ends', () => {
  const rows = putRows([], [row(1), row(2), row(3)]);
  expect(minutesOf(rowsOf(rows, { filter: 'waiting' }, row(2)))).toEqual([3, 2]);
});

test('rows of the same millisecond are ordered by their ids, as the relay orders them', () => {
  const same = ['b', 'Z', 'a', '_'].map((requestId) => row(1, { requestId }));
  const rows = putRows(putRows([], same.slice(0, 2)), same.slice(2));
  expect(rows.map(({ requestId }) => requestId)).toEqual(['b', 'a', '_', 'Z']);
});

test('what a search has found is grouped by filter', () => {
  const rows = putRows([], [row(1), row(2, answered), row(3), row(4)]);
  const ids = [3, 2, 1, 7].map((minute) => `request-${minute}`);
  expect(minutesOf(groupByFilter(foundRows(rows, ids)))).toEqual([3, 1, 2]);
});
