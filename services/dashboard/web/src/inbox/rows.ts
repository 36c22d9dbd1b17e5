import type { Count, InboxFilter, ListedRequest, RequestCounts } from '../generated/api.ts';

/** A request as the list shows it. */
export interface Row
  extends Pick<
    ListedRequest,
    | 'requestId'
    | 'refCode'
    | 'status'
    | 'responseCount'
    | 'createdAt'
    | 'lastActivityAt'
    | 'turn'
    | 'pickedUp'
    | 'expiresAt'
    | 'agent'
    | 'encrypted'
  > {
  /** The whole question, once it was compared with the first one that was shown. */
  readonly question: string;
  /** The name that the agent gave itself. */
  readonly agentName?: string | undefined;
  /** What the agent asks for besides a text. */
  readonly form?: ListedRequest['form'] | undefined;
  /** The agent's words for sorting, as the relay states them. */
  readonly tags?: ListedRequest['tags'] | undefined;
  /** Whether the question is not shown, since it, its keys or its code have changed. */
  readonly isRefused?: boolean;
}

export const filters = ['waiting', 'answered', 'ended'] as const satisfies InboxFilter[];
export type Filter = InboxFilter;

/** What a list shows: the requests of a filter, or what a search finds. */
export interface Listing {
  readonly filter?: Filter;
  /** Text of the question, or the reference code. */
  readonly q?: string;
}

/** All known requests, newest activity first, in the relay's order. The lists of the filters are derived from these. */
export type Rows = readonly Row[];

/** The sort key of a row. */
export type Position = Pick<Row, 'lastActivityAt' | 'requestId'>;

export function filterOf({ status, turn }: Pick<Row, 'status' | 'turn'>): Filter {
  if (status === 'closed' || status === 'expired') return 'ended';
  return turn === 'agent' ? 'answered' : 'waiting';
}

/** Negative when `one` is newer. It compares like the relay: byte by byte. */
function compare(one: Position, other: Position): number {
  if (one.lastActivityAt !== other.lastActivityAt) return one.lastActivityAt > other.lastActivityAt ? -1 : 1;
  if (one.requestId === other.requestId) return 0;
  return one.requestId > other.requestId ? -1 : 1;
}

/** A row that has not changed stays the same object, which is not rendered again. */
const isSame = (one: Row, other: Row): boolean => JSON.stringify(one) === JSON.stringify(other);

/** Adds or replaces rows. Two calls may cross, so what was read of a request with less activity does not count. */
export function putRows(rows: Rows, read: Rows): Rows {
  const all = new Map(rows.map((row) => [row.requestId, row]));
  for (const row of read) {
    const known = all.get(row.requestId);
    if (!known || (known.lastActivityAt <= row.lastActivityAt && !isSame(known, row)))
      all.set(row.requestId, row);
  }
  return [...all.values()].sort(compare);
}

/** A page of the requests of a filter, or of all requests. */
export interface Page {
  readonly filter: Filter | undefined;
  /** The end of the page before this one. */
  readonly after: Position | undefined;
  readonly requests: Rows;
  readonly hasNext: boolean;
}

/** Adds a page that was read. Rows that should be on it and are not there are gone. What is newer than the page may have come since. */
export function putPage(rows: Rows, { filter, after, requests, hasNext }: Page): Rows {
  const isOnPage = new Set(requests.map(({ requestId }) => requestId));
  const begin = after ?? requests[0];
  const end = hasNext ? requests.at(-1) : undefined;
  const isGone = (row: Row) =>
    begin !== undefined &&
    compare(row, begin) > 0 &&
    !(end && compare(row, end) > 0) &&
    (filter === undefined || filterOf(row) === filter) &&
    !isOnPage.has(row.requestId);
  return putRows(
    rows.filter((row) => !isGone(row)),
    requests,
  );
}

/** The rows of a filter down to `end`, where its last page that was read ends; without it all of them. */
export const rowsOf = (rows: Rows, filter: Filter, end: Position | undefined): Rows =>
  rows.filter((row) => filterOf(row) === filter && !(end && compare(row, end) > 0));

/** The rows with these ids, by their filters. */
export function foundRows(rows: Rows, ids: readonly string[]): Rows {
  const all = new Map(rows.map((row) => [row.requestId, row]));
  const found = ids.flatMap((id) => all.get(id) ?? []);
  return filters.flatMap((filter) => found.filter((row) => filterOf(row) === filter));
}

export type Counts = RequestCounts['filters'];

export const toCount = (count: number): Count => (count > 999 ? '999+' : count);
