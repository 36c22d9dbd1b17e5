import type { ExpertEvent } from '@expert-relay/sdk/expert';
import type { Agent, Count, InboxFilter, ListedRequest, RequestCounts } from '../generated/api.ts';

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
  > {
  /** The whole question, once it was compared with the first one that was shown. */
  readonly question: string;
  /** The name that the agent gave itself. */
  readonly agentName?: string | undefined;
  /** Whether the question is not shown, since it, its keys or its code have changed. */
  readonly isRefused?: boolean;
  /** What the agent asks for besides a text. */
  readonly form?: ListedRequest['form'] | undefined;
  /** The agent's words for sorting, as the relay states them. */
  readonly tags?: ListedRequest['tags'] | undefined;
  /** The event of a new request does not contain these three, nor the question: they are undefined until the request is read. */
  readonly expiresAt: string | undefined;
  readonly agent: Agent | undefined;
  readonly encrypted: boolean | undefined;
}

/**
 * Each request is in exactly one filter, since events move counts from one filter to another. A mark across them, such as a star, must be
 * a second member of `Listing`.
 */
export const filters = ['waiting', 'answered', 'ended'] as const satisfies InboxFilter[];
export type Filter = InboxFilter;

/** What a list shows: all requests when it has no filter. */
export interface Listing {
  readonly filter?: Filter;
  /** Text of the question, or the reference code. */
  readonly q?: string;
}

/** The sort key of a row. */
export type Position = Pick<Row, 'createdAt' | 'requestId'>;

/** All known requests, newest first, in the relay's order. Lists are derived from these. */
export type Rows = readonly Row[];

/** An event about one request. */
export type RequestEvent = Exclude<ExpertEvent, { type: 'unknown' }>;

export function filterOf({ status, turn }: Pick<Row, 'status' | 'turn'>): Filter {
  if (status === 'closed' || status === 'expired') return 'ended';
  return turn === 'agent' ? 'answered' : 'waiting';
}

/** Negative when `one` is newer. It compares like the relay: byte by byte. */
function compare(one: Position, other: Position): number {
  if (one.createdAt !== other.createdAt) return one.createdAt > other.createdAt ? -1 : 1;
  if (one.requestId === other.requestId) return 0;
  return one.requestId > other.requestId ? -1 : 1;
}

/** Adds or replaces rows. */
export function putRows(rows: Rows, fresh: readonly Row[]): Rows {
  if (fresh.length === 0) return rows;
  const ids = new Set(fresh.map(({ requestId }) => requestId));
  const sorted = [...fresh].sort(compare);
  const merged: Row[] = [];
  let at = 0;
  for (const row of rows) {
    if (ids.has(row.requestId)) continue;
    for (let next = sorted[at]; next && compare(next, row) < 0; next = sorted[++at]) merged.push(next);
    merged.push(row);
  }
  merged.push(...sorted.slice(at));
  return merged;
}

/** The row after an event; undefined when the event does not contain enough to know. */
export function applyEvent(row: Row | undefined, event: RequestEvent, now: string): Row | undefined {
  if (!row) return event.type === 'new_request' ? fromEvent(event, now) : undefined;
  const hasEnded = filterOf(row) === 'ended';
  switch (event.type) {
    case 'new_request':
      return row;
    case 'key_exchange':
      return row.pickedUp ? row : { ...row, pickedUp: true };
    case 'request_closed':
      return hasEnded ? row : { ...row, status: event.reason, lastActivityAt: now };
    case 'new_message':
      // A late event: nothing is added to a conversation that has ended.
      if (hasEnded) return row;
      if (event.from === 'expert') {
        const responseCount = row.responseCount + 1;
        return { ...row, status: 'responded', turn: 'agent', responseCount, lastActivityAt: now };
      }
      return { ...row, turn: 'expert', lastActivityAt: now };
  }
}

function fromEvent({ requestId, refCode }: RequestEvent, now: string): Row {
  return {
    requestId,
    refCode: refCode ?? '',
    question: '',
    status: 'pending',
    turn: 'expert',
    responseCount: 0,
    pickedUp: false,
    createdAt: now,
    lastActivityAt: now,
    expiresAt: undefined,
    agent: undefined,
    encrypted: undefined,
  };
}

/** The filter of a request after an event, as far as the event contains it. */
export function destinationOf({ type, from }: RequestEvent): Filter | undefined {
  if (type === 'request_closed') return 'ended';
  if (type === 'new_message') return from === 'expert' ? 'answered' : 'waiting';
  return type === 'new_request' ? 'waiting' : undefined;
}

export interface Page {
  readonly listing: Listing;
  /** The end of the page before this one. */
  readonly after: Position | undefined;
  readonly requests: readonly Row[];
  readonly hasNext: boolean;
}

/**
 * Merges a page that was read. `since` are the events that arrived during the read: the page may not include them. Rows
 * that should be on the page and are not there are out of date, and are removed.
 */
export function putPage(rows: Rows, page: Page, since: readonly RequestEvent[], now: string): Rows {
  const touched = new Set(since.map(({ requestId }) => requestId));
  const isOnPage = new Set(page.requests.map(({ requestId }) => requestId));
  const end = page.hasNext ? page.requests.at(-1) : undefined;
  const kept = rows.filter(
    (row) =>
      isOnPage.has(row.requestId) ||
      touched.has(row.requestId) ||
      (page.after && compare(row, page.after) <= 0) ||
      (end && compare(row, end) > 0) ||
      !isListed(row, page.listing),
  );
  const fresh = page.requests.map((read) =>
    since
      .filter(({ requestId }) => requestId === read.requestId)
      .reduce((row, event) => applyEvent(row, event, now) ?? row, read),
  );
  return putRows(kept, fresh);
}

/** The rows of a list down to `end`, where its last page that was read ends; without it all of them. */
export function rowsOf(rows: Rows, listing: Listing, end: Position | undefined): Rows {
  return rows.filter((row) => (!end || compare(row, end) <= 0) && isListed(row, listing));
}

/** The same rows by their filters, as the results of a search are shown. */
export const groupRows = (rows: Rows): Rows =>
  filters.flatMap((filter) => rows.filter((row) => filterOf(row) === filter));

function isListed(row: Row, { filter, q }: Listing): boolean {
  return (filter === undefined || filterOf(row) === filter) && (!q || matches(row, q));
}

/** Matches the same requests as the relay's search. */
function matches({ question, tags = [], refCode }: Row, q: string): boolean {
  const isIn = (text: string) => text.toLowerCase().includes(q.toLowerCase());
  return isIn(question) || tags.some(isIn) || refCode === readRefCode(q);
}

/** The reference code as typed: with or without `HS-`, in any case, with O for 0 and I or L for 1. */
function readRefCode(text: string): string {
  const typed = text.trim().toUpperCase().replace(/^HS-/, '');
  return `HS-${typed.replaceAll('O', '0').replace(/[IL]/g, '1')}`;
}

export type Counts = RequestCounts['filters'];

/** The counts after a request moved from one filter to another. `999+` cannot be counted, and stays until it is read again. */
export function moveCount(counts: Counts, from: Filter | undefined, to: Filter | undefined): Counts {
  if (from === to) return counts;
  return {
    ...counts,
    ...(from && { [from]: add(counts[from], -1) }),
    ...(to && { [to]: add(counts[to], 1) }),
  };
}

const add = (count: Count, change: number): Count =>
  typeof count === 'number' ? toCount(Math.max(0, count + change)) : count;

export const toCount = (count: number): Count => (count > 999 ? '999+' : count);
