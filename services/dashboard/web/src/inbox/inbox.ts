import type { Expert, ExpertEvent } from '@expert-relay/sdk/expert';
import type { Form } from '@expert-relay/sdk/forms';
import { infiniteQueryOptions, type QueryClient, queryOptions } from '@tanstack/react-query';
import { isChoice } from '../forms/is-choice.ts';
import type { RequestCounts, Triage } from '../generated/api.ts';
import { CallError, call } from '../relay/call.ts';
import type { Live } from '../relay/live.ts';
import { createStore, type Store } from '../ui/store.ts';
import { findNews, hear, heardNothing, type News } from './news.ts';
import { type Facets, type Listing, type Position, putPage, putRows, type Row, type Rows } from './rows.ts';

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
/** How often the counts are read while requests are snoozed. */
const snoozeCheckMs = 60_000;
/** The relay's maximum, for those who scroll. */
const nextPageSize = 200;

/** What the relay answers to a read of a list. */
export interface PageRead {
  readonly requests: readonly Row[];
  readonly next?: string;
}

/** Reads a page of a list from the relay: the first one, or the one `after`. */
export async function readList(listing: Listing, after?: string, signal?: AbortSignal): Promise<PageRead> {
  const query = new URLSearchParams({
    ...listing,
    ...(after && { after }),
    content: 'true',
    limit: String(after ? nextPageSize : firstPageSize),
  });
  return (await call<PageRead>(`/api/requests?${query}`, { signal })).body;
}

/** What the inbox shows first. */
export const firstListing: Listing = { filter: 'waiting' };

interface InboxOptions {
  readonly live: Live;
  readonly queries: QueryClient;
  /** The first page of `firstListing`, if its read began before the inbox existed. */
  readonly firstRead: Promise<PageRead> | undefined;
  /** Compares the questions of rows with those that were shown first: the SDK's `check`. */
  readonly check: Expert['check'];
}

/**
 * The expert's requests as this browser knows them. The lists are read page by page as the expert scrolls. After an event the requests with
 * the newest activity are read: what has changed is among them, but for a pick-up by another device, which is no activity.
 */
export function createInbox({ live, queries, firstRead, check }: InboxOptions) {
  const rows: Store<Rows> = createStore<Rows>([]);
  const newsListeners = new Set<(news: News) => void>();
  let heard = heardNothing;
  /** Of which activity of each request the expert was told: events may come twice. */
  const told = new Map<string, string>();
  /** Whether something has changed that was not read yet. */
  let isStale = false;
  /** Codes of requests that were snoozed or settled, here or elsewhere. That is no activity, so they need not be among the newest. */
  const triaged = new Set<string>();
  // Checked while the page is rendered for the first time.
  let first = firstRead && checkPage(firstRead);
  first?.catch(() => {});

  async function checkPage(reading: Promise<PageRead>) {
    const { requests, next } = await reading;
    return { next, requests: await checkRows(requests, check) };
  }

  async function readPage(listing: Listing, from: ListPage | undefined, signal?: AbortSignal) {
    const isFirst = !from && JSON.stringify(listing) === JSON.stringify(firstListing);
    const begun = isFirst ? first : undefined;
    if (begun) first = undefined;
    const { requests, next } = await (begun ?? checkPage(readList(listing, from?.next, signal)));
    const known = rows.get();
    const page = {
      listing,
      after: from?.last,
      requests,
      hasNext: next !== undefined,
    };
    rows.set(listing.q ? putRows(known, requests) : putPage(known, page));
    return { known, requests, next };
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

  const countsQuery = (facets: Facets = {}) =>
    queryOptions({
      queryKey: ['request-counts', facets],
      queryFn: async ({ signal }) => {
        const query = new URLSearchParams({ ...facets });
        const path = query.size === 0 ? '/api/requests/counts' : `/api/requests/counts?${query}`;
        return (await call<RequestCounts>(path, { signal })).body;
      },
      // The end of a snooze is no event.
      refetchInterval: ({ state }) => (state.data && state.data.snoozed !== 0 ? snoozeCheckMs : false),
    });

  async function readNewest(): Promise<void> {
    const before = heard;
    heard = heardNothing;
    isStale = false;
    // Not awaited: the query waits for its next try while the page is hidden.
    void queries.refetchQueries({ queryKey: ['request-counts'], type: 'active' });
    try {
      const { known, requests, next } = await readPage({}, undefined);
      for (const q of [...triaged]) {
        await readPage({ q }, undefined);
        triaged.delete(q);
      }
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

  /**
   * Also the regular event that nothing was missed repeats a read that has failed. A stream begins with an event that some were missed, since
   * the first page was read before it.
   */
  function onEvent(event: ExpertEvent): void {
    isStale ||= event.type !== 'unknown' || event.isMissed;
    if (event.type === 'request_triaged' && event.refCode) triaged.add(event.refCode);
    // The tab that leads tells the expert. One that is shown or leads later only shows it.
    heard = live.isFollowing() ? hear(heard, event) : heardNothing;
    if (isStale) readLater();
  }

  /** Forgets what was read. The list on the screen is read again at once, and others when they are shown. */
  function readAgain(): void {
    // Lists are reset first: without rows, those that were read would look empty.
    void queries.resetQueries({ queryKey: ['requests'] });
    rows.set([]);
  }

  return {
    rows,
    listQuery,
    countsQuery,
    readAgain,
    /** This browser has snoozed or settled a request: its row is right before it is read again. */
    noteTriage({ requestId, turn, snoozedUntil }: Triage): void {
      const change = { turn, snoozedUntil };
      rows.set(rows.get().map((row) => (row.requestId === requestId ? { ...row, ...change } : row)));
    },
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
    const { question, agentName, answerForm, form, newestText, refused, tags } = shown;
    const { createdAt, lastActivityAt, turn, snoozedUntil, expiresAt, encrypted } = row;
    const agent = refused ? { ...row.agent, name: '' } : row.agent;
    return {
      requestId,
      refCode,
      status,
      responseCount,
      createdAt,
      lastActivityAt,
      turn,
      snoozedUntil,
      expiresAt,
      agent,
      encrypted,
      question,
      agentName,
      tags,
      kind: form && kindOf(form, answerForm),
      newestText,
      ...(refused && { isRefused: true }),
    };
  });
}

function kindOf(form: 'approval' | 'form', answerForm: Form | undefined): Row['kind'] {
  if (form === 'approval') return 'Approval';
  return answerForm && isChoice(answerForm) ? 'Choice' : 'Form';
}
