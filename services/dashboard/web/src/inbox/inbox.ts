import type { Expert, ExpertEvent } from '@expert-relay/sdk/expert';
import {
  type InfiniteData,
  infiniteQueryOptions,
  type QueryClient,
  queryOptions,
} from '@tanstack/react-query';
import { CallError, call } from '../calls/call.ts';
import type { Live } from '../live/live.ts';
import { createStore, type Store } from '../ui/store.ts';
import { createNews } from './news.ts';
import {
  applyEvent,
  type Counts,
  destinationOf,
  type Filter,
  filterOf,
  type Listing,
  moveCount,
  type Position,
  putPage,
  putRows,
  type RequestEvent,
  type Row,
  type Rows,
} from './rows.ts';

/** Where a page of a list ends. The rows themselves are in `rows`. */
export interface PageEnd {
  /** Where the next page begins; undefined on the last one. */
  readonly next: string | undefined;
  /** The last row of this page. */
  readonly last: Position | undefined;
}

export type Inbox = ReturnType<typeof createInbox>;

/** The page size: the relay's maximum. */
const pageSize = 200;
/** The page size of reads after events, which are many. */
const newestSize = 50;
/** How long to wait for what the event of a new request does not contain: longer than the pace delays a read. */
const completeMs = 10_000;
/** How many pages of a list are read again after events were missed. */
const maxPagesReadAgain = 3;

interface PageOptions {
  readonly from?: PageEnd | undefined;
  readonly signal?: AbortSignal;
  readonly limit?: number;
}

interface InboxOptions {
  readonly live: Live;
  readonly queries: QueryClient;
  /** Compares the questions of rows with those that were shown first: the SDK's `check`. */
  readonly check: Expert['check'];
}

/** The expert's requests as this browser knows them: read page by page, and updated by events. */
export function createInbox({ live, queries, check }: InboxOptions) {
  const rows: Store<Rows> = createStore<Rows>([]);
  const news = createNews();
  /** Events that arrived while a page was being read: the page may not include them. */
  let recent: RequestEvent[] = [];
  let reads = 0;
  /** Whether anything was read. What is read later includes what happened before the stream was open. */
  let hasBegun = false;
  /** Requests that an event has changed and that must be read, with the filter that they belong to now. */
  const incomplete = new Map<string, Filter>();

  async function readPage(
    listing: Listing,
    { from, signal, limit = pageSize }: PageOptions = {},
  ): Promise<PageEnd> {
    await begin();
    const since = recent.length;
    reads += 1;
    try {
      const query = new URLSearchParams({
        ...listing,
        ...(from?.next && { after: from.next }),
        content: 'true',
        limit: String(limit),
      });
      const { body } = await call<{ requests: Row[]; next?: string }>(`/api/requests?${query}`, {
        signal,
      });
      const { next } = body;
      const requests = await checkRows(body.requests, check);
      const page = { listing, after: from?.last, requests, hasNext: next !== undefined };
      const known = new Set(rows.get().map(({ requestId }) => requestId));
      rows.set(putPage(rows.get(), page, recent.slice(since), new Date().toISOString()));
      if (!from && !listing.q && (listing.filter ?? 'waiting') === 'waiting')
        news.reportMissed(requests, known);
      return { next, last: requests.at(-1) };
    } finally {
      reads -= 1;
      if (reads === 0) recent = [];
    }
  }

  async function begin(): Promise<void> {
    await live.begun;
    hasBegun = true;
  }

  const listQuery = (listing: Listing) =>
    infiniteQueryOptions({
      queryKey: ['requests', listing],
      queryFn: ({ pageParam, signal }) => readPage(listing, { from: pageParam, signal }),
      initialPageParam: undefined as PageEnd | undefined,
      getNextPageParam: (last) => (last.next === undefined ? undefined : last),
    });

  const countsQuery = queryOptions({
    queryKey: ['request-counts'],
    queryFn: async ({ signal }): Promise<Counts> => {
      await begin();
      const { body } = await call<{ filters: Counts }>('/api/requests/counts', { signal });
      return body.filters;
    },
  });

  function onEvent(event: ExpertEvent): void {
    if (event.type === 'unknown') {
      if (event.isMissed && hasBegun) readAllLater();
      return;
    }
    if (reads > 0) recent.push(event);
    const known = rows.get().find(({ requestId }) => requestId === event.requestId);
    const row = applyEvent(known, event, timeOf(event));
    if (row && row !== known) rows.set(putRows(rows.get(), [row]));
    count(known, row);
    const to = destinationOf(event);
    if (to && !row?.agent) readLater(event.requestId, to);
    const isNew = event.type === 'new_request' && !known;
    if (isNew || (event.type === 'new_message' && event.from === 'agent')) {
      news.report({ kind: isNew ? 'request' : 'message', requestId: event.requestId });
    }
  }

  /** The time of an event. A new request is the newest one, even if this device's clock is wrong. */
  function timeOf({ type }: RequestEvent): string {
    const now = Date.now();
    const newest = type === 'new_request' ? Date.parse(rows.get()[0]?.createdAt ?? '') : Number.NaN;
    return new Date(newest >= now ? newest + 1 : now).toISOString();
  }

  function count(known: Row | undefined, row: Row | undefined): void {
    const counts = queries.getQueryData(countsQuery.queryKey);
    const isBeingRead = queries.isFetching(countsQuery) > 0;
    if (counts && row) {
      queries.setQueryData(countsQuery.queryKey, moveCount(counts, known && filterOf(known), filterOf(row)));
    }
    if (!row || isBeingRead) live.pace.run('counts', readCounts);
  }

  const readCounts = () => queries.refetchQueries({ ...countsQuery, type: 'active' });

  /** Reads what the event does not contain, with one call for many events. */
  function readLater(requestId: string, filter: Filter): void {
    incomplete.set(requestId, filter);
    live.pace.run('newest', readNewest);
  }

  async function readNewest(): Promise<void> {
    const wanted = [...incomplete];
    try {
      await readPage({}, { limit: newestSize });
    } catch (error) {
      // The stream may survive an outage of the relay, and then no event triggers another read.
      if (error instanceof CallError && error.isTemporary) live.pace.run('newest', readNewest);
      throw error;
    }
    const found = new Set(rows.get().flatMap(({ requestId, agent }) => (agent ? requestId : [])));
    const missing = new Set<Filter>();
    for (const [requestId, filter] of wanted) {
      incomplete.delete(requestId);
      if (!found.has(requestId)) missing.add(filter);
    }
    // These requests are not on the first page: the lists that they belong to are read again.
    if (missing.size === 0) return;
    live.pace.run('some lists', () =>
      readListsAgain((listing) => !listing.filter || missing.has(listing.filter)),
    );
  }

  async function readAgain(): Promise<void> {
    await Promise.all([readCounts(), readListsAgain(() => true)]);
    const all = queries.getQueryCache().findAll();
    const { queryKey } = listQuery({ filter: 'waiting' });
    const waiting = queries.getQueryCache().find({ queryKey, exact: true });
    // The count and the announcements come from this list, also while another list is shown.
    if (waiting?.state.data && !waiting.isActive()) await readPage({ filter: 'waiting' });
    const hasFailed = all.some(
      (query) =>
        query.isActive() &&
        ['requests', 'request-counts'].includes(String(query.queryKey[0])) &&
        query.state.error instanceof CallError &&
        query.state.error.isTemporary,
    );
    // The stream may survive an outage of the relay, and then no event triggers another read.
    if (hasFailed) readAllLater();
  }

  const readAllLater = () => live.pace.run('lists', readAgain);

  async function readListsAgain(isWanted: (listing: Listing) => boolean): Promise<void> {
    const lists = {
      queryKey: ['requests'],
      predicate: ({ queryKey }: { queryKey: readonly unknown[] }) => isWanted(queryKey[1] as Listing),
    };
    queries.setQueriesData<InfiniteData<PageEnd>>(lists, (data) => data && firstPages(data));
    await queries.invalidateQueries(lists);
  }

  return {
    rows,
    listQuery,
    countsQuery,
    /** Reads all lists again, and compares their questions. */
    readAgain: readAllLater,
    /** Starts to follow the events. Returns a function that stops it. */
    follow: (): (() => void) => live.listen(onEvent),
    onNews: news.listen,
    /** The row of a request once it is complete, or what is known of it after a while. */
    complete(requestId: string): Promise<Row | undefined> {
      const find = () => rows.get().find((row) => row.requestId === requestId);
      return new Promise((resolve) => {
        const finish = () => {
          clearTimeout(timer);
          unsubscribe();
          resolve(find());
        };
        const timer = setTimeout(finish, completeMs);
        const unsubscribe = rows.subscribe(() => find()?.agent && finish());
        if (find()?.agent) finish();
      });
    },
  };
}

/** The rows with the questions that may be shown. */
async function checkRows(read: readonly Row[], check: Expert['check']): Promise<Row[]> {
  const checked = await check(read);
  return read.flatMap((row, at) => {
    const shown = checked[at];
    if (!shown) return [];
    const { requestId, refCode, status, responseCount } = row;
    const { question, agentName, form, refused, tags } = shown;
    const { createdAt, lastActivityAt, turn, pickedUp, expiresAt, encrypted } = row;
    const agent = row.agent && refused ? { ...row.agent, name: '' } : row.agent;
    return {
      requestId,
      refCode,
      status,
      responseCount,
      createdAt,
      lastActivityAt,
      turn,
      pickedUp,
      expiresAt,
      agent,
      encrypted,
      question,
      agentName,
      tags,
      form,
      ...(refused && { isRefused: true }),
    };
  });
}

/** Each page costs a call, so only the first pages are read again, and the others when the expert scrolls. */
const firstPages = ({ pages, pageParams }: InfiniteData<PageEnd>): InfiniteData<PageEnd> => ({
  pages: pages.slice(0, maxPagesReadAgain),
  pageParams: pageParams.slice(0, maxPagesReadAgain),
});
