import { hasEnded } from '@expert-relay/sdk/internal';
import type { InboxFilter, ListedRequest, RequestCounts } from '../generated/api.ts';

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
    | 'expiresAt'
    | 'agent'
    | 'encrypted'
  > {
  /** Until when the expert does not want to see it. */
  readonly snoozedUntil?: string | undefined;
  /** The whole question, once it was compared with the first one that was shown. */
  readonly question: string;
  /** The name that the agent gave itself. */
  readonly agentName?: string | undefined;
  /** What the agent asks for besides a text. */
  readonly kind?: 'Approval' | 'Choice' | 'Form' | undefined;
  /** What the agent has written since the last answer, if it can be read here. */
  readonly newestText?: string | undefined;
  /** The agent's words for sorting, as the relay states them. */
  readonly tags?: ListedRequest['tags'] | undefined;
  /** Whether the question is not shown, since it, its keys or its code have changed. */
  readonly isRefused?: boolean;
}

export const filters = ['waiting', 'answered', 'ended'] as const satisfies InboxFilter[];
export type Filter = InboxFilter;

/** The agent and the tag to whose requests a list is limited. */
export interface Facets {
  /** The agent's key. */
  readonly keyId?: string;
  readonly tag?: string;
}

/** What a list shows: the requests of a filter or of all, or what a search finds in all. */
export interface Listing extends Facets {
  readonly filter?: Filter;
  /** Text of the question, or the reference code. */
  readonly q?: string;
}

/** All known requests, newest activity first, in the relay's order. The lists of the filters are derived from these. */
export type Rows = readonly Row[];

/** The sort key of a row. */
export type Position = Pick<Row, 'lastActivityAt' | 'requestId'>;

export function filterOf(row: Pick<Row, 'status' | 'turn'>): Filter {
  if (hasEnded(row)) return 'ended';
  return row.turn === 'agent' ? 'answered' : 'waiting';
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

/** Whether a list shows a request, its search apart. */
export const isListed = (row: Row, { filter, keyId, tag }: Listing): boolean =>
  (filter === undefined || filterOf(row) === filter) &&
  (keyId === undefined || row.agent.keyId === keyId) &&
  (tag === undefined || row.tags?.includes(tag) === true);

/** A page of a list without a search. */
export interface Page {
  readonly listing: Listing;
  /** The end of the page before this one. */
  readonly after: Position | undefined;
  readonly requests: Rows;
  readonly hasNext: boolean;
}

/** Adds a page that was read. Rows that should be on it and are not there are gone. What is newer than the page may have come since. */
export function putPage(rows: Rows, { listing, after, requests, hasNext }: Page): Rows {
  const isOnPage = new Set(requests.map(({ requestId }) => requestId));
  const begin = after ?? requests[0];
  const end = hasNext ? requests.at(-1) : undefined;
  const isGone = (row: Row) =>
    begin !== undefined &&
    compare(row, begin) > 0 &&
    !(end && compare(row, end) > 0) &&
    isListed(row, listing) &&
    !isOnPage.has(row.requestId);
  return putRows(
    rows.filter((row) => !isGone(row)),
    requests,
  );
}

/** The rows of a list down to `end`, where its last page that was read ends; without it all of them. */
export const rowsOf = (rows: Rows, listing: Listing, end: Position | undefined): Rows =>
  rows.filter((row) => isListed(row, listing) && !(end && compare(row, end) > 0));

/** The rows with these ids. */
export function foundRows(rows: Rows, ids: readonly string[]): Rows {
  const all = new Map(rows.map((row) => [row.requestId, row]));
  return ids.flatMap((id) => all.get(id) ?? []);
}

export const groupByFilter = (rows: Rows): Rows =>
  filters.flatMap((filter) => rows.filter((row) => filterOf(row) === filter));

export type Counts = RequestCounts['filters'];
