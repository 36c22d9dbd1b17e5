import type { Expert } from '@expert-relay/sdk/expert';
import { infiniteQueryOptions, type QueryClient, queryOptions } from '@tanstack/react-query';
import { CallError, call } from '../relay/call.ts';
import type { Live } from '../relay/live.ts';
import { createStore, type Store } from '../ui/store.ts';
import { findNews, type News } from './news.ts';
import { type Counts, type Listing, type Position, putPage, putRows, type Row, type Rows } from './rows.ts';

/** A page of a list. The rows themselves are in `rows`. */
export interface ListPage {
  /** Where the next page begins; undefined on the last one. */
  readonly next: string | undefined;
  /** The last row of this page. */
  readonly last: Position | undefined;
  readonly ids: readonly string[];
}

export type Inbox = ReturnType<typeof createInbox>;

/** The first page of a list, and what is read after an event: more than a screen shows, and more than change at once. */
const firstPageSize = 40;
/** The relay's maximum, for those who scroll. */
const nextPageSize = 200;

interface InboxOptions {
  readonly live: Live;
  readonly queries: QueryClient;
  /** Compares the questions of rows with those that were shown first: the SDK's `check`. */
  readonly check: Expert['check'];
}

/**
 * The expert's requests as this browser knows them. The lists are read page by page as the expert scrolls. After an event the requests with
 * the newest activity are read: whatever has changed is among them.
 */
export function createInbox({ live, queries, check }: InboxOptions) {
  const rows: Store<Rows> = createStore<Rows>([]);
  const newsListeners = new Set<(news: News) => void>();
  /** The newest activity that was read, by the relay's clock. Empty before the first read. */
  let readUntil = '';
  /** Whether a read has begun. It includes what happened before the stream was open. */
  let hasBegun = false;

  async function begin(): Promise<void> {
    await live.begun;
    hasBegun = true;
  }

  async function readPage(listing: Listing, from: ListPage | undefined, signal?: AbortSignal) {
    await begin();
    const query = new URLSearchParams({
      ...listing,
      ...(from?.next && { after: from.next }),
      content: 'true',
      limit: String(from ? nextPageSize : firstPageSize),
    });
    const { body, headers } = await call<{ requests: Row[]; next?: string }>(`/api/requests?${query}`, {
      signal,
    });
    readUntil ||= new Date(headers.get('date') ?? Date.now()).toISOString();
    const requests = await checkRows(body.requests, check);
    const known = rows.get();
    const page = {
      filter: listing.filter,
      after: from?.last,
      requests,
      hasNext: body.next !== undefined,
    };
    rows.set(listing.q ? putRows(known, requests) : putPage(known, page));
    return { known, requests, next: body.next };
  }

  const listQuery = (listing: Listing) =>
    infiniteQueryOptions({
      queryKey: ['requests', listing],
      queryFn: async ({ pageParam, signal }): Promise<ListPage> => {
        const { requests, next } = await readPage(listing, pageParam, signal);
        return { next, last: requests.at(-1), ids: requests.map(({ requestId }) => requestId) };
      },
      initialPageParam: undefined as ListPage | undefined,
      getNextPageParam: (last) => (last.next === undefined ? undefined : last),
    });

  const countsQuery = queryOptions({
    queryKey: ['request-counts'],
    queryFn: async ({ signal }): Promise<Counts> => {
      await begin();
      const { body, headers } = await call<{ filters: Counts }>('/api/requests/counts', { signal });
      readUntil ||= new Date(headers.get('date') ?? Date.now()).toISOString();
      return body.filters;
    },
  });

  async function readNewest(): Promise<void> {
    try {
      const before = readUntil;
      const [{ known, requests, next }] = await Promise.all([
        readPage({}, undefined),
        queries.refetchQueries({ ...countsQuery, type: 'active' }, { throwOnError: true }),
      ]);
      const [newest, oldest] = [requests[0], requests.at(-1)];
      if (newest && newest.lastActivityAt > readUntil) readUntil = newest.lastActivityAt;
      if (before === '') return;
      for (const news of findNews(requests, { known, readUntil: before }))
        for (const listener of [...newsListeners]) listener(news);
      // More has changed than this page shows, such as while a laptop was closed.
      if (next !== undefined && oldest && oldest.lastActivityAt > before) await readAgain();
    } catch (error) {
      // The stream may survive an outage of the relay, and then no event triggers another read.
      if (error instanceof CallError && error.isTemporary) readLater();
      throw error;
    }
  }

  const readLater = () => live.pace.run('inbox', readNewest, live.isFollowing);

  /** Forgets what was read. The list on the screen is read again at once, and others when they are shown. */
  async function readAgain(): Promise<void> {
    rows.set([]);
    await queries.resetQueries({ queryKey: ['requests'] });
  }

  return {
    rows,
    listQuery,
    countsQuery,
    readAgain,
    /** Starts to follow the events. Returns a function that stops it. */
    follow: (): (() => void) =>
      live.listen((event) => {
        if (event.type !== 'unknown' || (event.isMissed && hasBegun)) readLater();
      }),
    onNews(listener: (news: News) => void): () => void {
      newsListeners.add(listener);
      return () => newsListeners.delete(listener);
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
    const agent = refused ? { ...row.agent, name: '' } : row.agent;
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
