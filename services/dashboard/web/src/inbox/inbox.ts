import type { Expert, ExpertEvent } from '@expert-relay/sdk/expert';
import { infiniteQueryOptions, type QueryClient, queryOptions } from '@tanstack/react-query';
import { CallError, call } from '../relay/call.ts';
import type { Live } from '../relay/live.ts';
import { createStore, type Store } from '../ui/store.ts';
import { findNews, hear, heardNothing, type News } from './news.ts';
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
 * the newest activity are read: what has changed is among them, but for a pick-up by another device, which is no activity.
 */
export function createInbox({ live, queries, check }: InboxOptions) {
  const rows: Store<Rows> = createStore<Rows>([]);
  const newsListeners = new Set<(news: News) => void>();
  let heard = heardNothing;
  /** Of which activity of each request the expert was told: events may come twice. */
  const told = new Map<string, string>();
  /** Whether something has changed that was not read yet. */
  let isStale = false;
  /** Whether a read has begun. It includes what happened before the stream was open. */
  let hasRead = false;

  async function beforeRead(): Promise<void> {
    await live.begun;
    hasRead = true;
  }

  async function readPage(listing: Listing, from: ListPage | undefined, signal?: AbortSignal) {
    await beforeRead();
    const query = new URLSearchParams({
      ...listing,
      ...(from?.next && { after: from.next }),
      content: 'true',
      limit: String(from ? nextPageSize : firstPageSize),
    });
    const { body } = await call<{ requests: Row[]; next?: string }>(`/api/requests?${query}`, { signal });
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
      await beforeRead();
      return (await call<{ filters: Counts }>('/api/requests/counts', { signal })).body.filters;
    },
  });

  async function readNewest(): Promise<void> {
    const before = heard;
    heard = heardNothing;
    isStale = false;
    // Not awaited: the query waits for its next try while the page is hidden.
    void queries.refetchQueries({ ...countsQuery, type: 'active' });
    try {
      const { known, requests, next } = await readPage({}, undefined);
      for (const news of findNews(requests, known, before)) tell(news);
      // More has changed than this page shows, such as while a laptop was closed.
      const [newest] = known;
      const oldest = requests.at(-1);
      if (newest && oldest && next !== undefined && oldest.lastActivityAt > newest.lastActivityAt)
        readAgain();
    } catch (error) {
      isStale = true;
      heard = {
        // As `hear` has it: what came first counts.
        named: new Map([...heard.named, ...before.named]),
        isMissed: before.isMissed || heard.isMissed,
      };
      // The stream may survive an outage of the relay, and then no event triggers another read.
      if (error instanceof CallError && error.isTemporary) readLater();
      throw error;
    }
  }

  function tell(news: News): void {
    const { requestId, lastActivityAt } = news.row;
    if (told.get(requestId) === lastActivityAt) return;
    told.set(requestId, lastActivityAt);
    for (const listener of [...newsListeners]) listener(news);
  }

  const readLater = () => live.pace.run('inbox', readNewest, live.isFollowing);

  /** Also the regular event that nothing was missed repeats a read that has failed. */
  function onEvent(event: ExpertEvent): void {
    isStale ||= event.type !== 'unknown' || (event.isMissed && hasRead);
    // The tab that leads tells the expert. One that is shown or leads later only shows it.
    heard = live.isFollowing() ? hear(heard, event) : heardNothing;
    if (isStale) readLater();
  }

  /** Forgets what was read. The list on the screen is read again at once, and others when they are shown. */
  function readAgain(): void {
    rows.set([]);
    void queries.resetQueries({ queryKey: ['requests'] });
  }

  return {
    rows,
    listQuery,
    countsQuery,
    readAgain,
    /** Starts to follow the events. Returns a function that stops it. */
    follow: (): (() => void) => live.listen(onEvent),
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
