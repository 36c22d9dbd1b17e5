import { RelayError } from '@expert-relay/sdk';
import type { Expert, ExpertEvent } from '@expert-relay/sdk/expert';
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { InfiniteQueryObserver, QueryClient, QueryObserver } from '@tanstack/react-query';
import { connection } from '../relay/connection.ts';
import { createPace } from '../relay/pace.ts';
import { requestRow as row } from '../testing/requests.ts';
import { createInbox, type Inbox, type PageRead } from './inbox.ts';
import { type Filter, filterOf, type Row, rowsOf } from './rows.ts';

const realFetch = globalThis.fetch;
const queries = new QueryClient({ defaultOptions: { queries: { retry: false, staleTime: Infinity } } });
const ends: (() => void)[] = [];

beforeEach(() => void jest.useFakeTimers());
afterEach(() => {
  for (const end of ends.splice(0)) end();
  queries.clear();
  globalThis.fetch = realFetch;
  connection.set({ kind: 'online' });
  jest.useRealTimers();
});

const answered = { status: 'responded', turn: 'agent' } as const;
/** The same request with later activity. */
const later = (minute: number, at: number, change = {}) =>
  row(minute, { ...change, lastActivityAt: row(at).lastActivityAt });

/** A row as the relay lists it, with its content. */
const listed = (row: Row) => ({ ...row, context: [] });

const event: ExpertEvent = {
  type: 'new_message',
  requestId: 'any',
  refCode: undefined,
  from: 'agent',
  messageId: undefined,
  reason: 'closed',
};
const missed: ExpertEvent = { type: 'unknown', isMissed: true };

/** The SDK's check, which refuses the request of minute 13. */
const check: Expert['check'] = async (rows) =>
  (rows as Row[]).map(({ agent, encrypted, ...row }) => ({
    ...row,
    agent: agent?.name,
    context: [],
    plaintext: undefined,
    agentName: row.requestId === 'request-12' ? 'signed agent' : undefined,
    form: row.requestId === 'request-12' ? ('approval' as const) : undefined,
    answerForm: undefined,
    newestText: undefined,
    expiresAt: row.expiresAt ?? '',
    encrypted,
    erasedAt: undefined,
    refused: undefined,
    tags: row.tags ?? [],
    closedBy: undefined,
    closeReason: undefined,
    ...(row.requestId === 'request-13' && {
      question: '',
      refused: new RelayError('question_altered', 'It has changed.'),
    }),
  }));

/** A fake relay with these requests, and an inbox. */
function open(requests: readonly Row[], firstRead?: Promise<PageRead>) {
  const stored = [...requests];
  const calls: string[] = [];
  let answer = async (response: Response, _path: string) => response;
  const tab = { isFollowing: true };
  globalThis.fetch = async (input) => {
    const url = new URL(String(input), 'http://relay.test');
    calls.push(`${url.pathname}${url.search}`);
    const body = url.pathname.endsWith('/counts') ? counts() : page(url.searchParams);
    return answer(Response.json(body), url.pathname);
  };
  const counts = () => {
    const count = (filter: Filter) => stored.filter((one) => filterOf(one) === filter).length;
    return {
      filters: { waiting: count('waiting'), answered: count('answered'), ended: count('ended') },
      statuses: {},
      snoozed: 0,
    };
  };
  const page = (query: URLSearchParams) => {
    const found = stored
      .filter((one) => !query.has('filter') || filterOf(one) === query.get('filter'))
      .filter(({ question, refCode }) => `${refCode} ${question}`.includes(query.get('q') ?? ''))
      .sort((one, other) => (one.lastActivityAt < other.lastActivityAt ? 1 : -1));
    const from = Number(query.get('after') ?? 0);
    const end = from + Number(query.get('limit'));
    return { requests: found.slice(from, end).map(listed), ...(end < found.length && { next: String(end) }) };
  };

  const listeners = new Set<(event: ExpertEvent) => void>();
  const live = {
    pace: createPace(() => 1_000),
    isFollowing: () => tab.isFollowing,
    listen(call: (event: ExpertEvent) => void) {
      listeners.add(call);
      return () => listeners.delete(call);
    },
  };
  const inbox = createInbox({ live: live as never, queries, firstRead, check });
  ends.push(inbox.follow());
  return {
    inbox,
    tab,
    wake: live.pace.wake,
    /** Puts a request in the place of the one with its id, or adds it. */
    change: (...changed: Row[]) => {
      for (const one of changed) {
        const at = stored.findIndex(({ requestId }) => requestId === one.requestId);
        stored.splice(at < 0 ? stored.length : at, 1, one);
      }
    },
    calls,
    send: (...events: ExpertEvent[]) => {
      for (const event of events) for (const listener of listeners) listener(event);
    },
    setAnswer: (change: typeof answer) => {
      answer = change;
    },
  };
}

/** The rows of a list. */
function show(inbox: Inbox, filter: Filter) {
  const observer = new InfiniteQueryObserver(queries, inbox.listQuery({ filter }));
  ends.push(observer.subscribe(() => {}));
  return {
    observer,
    minutes: () =>
      rowsOf(inbox.rows.get(), { filter }, undefined).map(({ requestId }) => Number(requestId.split('-')[1])),
  };
}
function showCounts(inbox: Inbox) {
  const observer = new QueryObserver(queries, inbox.countsQuery());
  ends.push(observer.subscribe(() => {}));
  return () => observer.getCurrentResult().data?.filters;
}
/** Waits until all calls are answered, except paced ones. */
const settle = () => jest.advanceTimersByTimeAsync(0);
const wait = (ms: number) => jest.advanceTimersByTimeAsync(ms);
const newest = '/api/requests?content=true&limit=40';

test('whatever an event says, the newest activity and the counts are read, once for events that come together', async () => {
  const { inbox, change, calls, send } = open([row(1), row(2), row(3)]);
  const waiting = show(inbox, 'waiting');
  const counts = showCounts(inbox);
  await settle();
  calls.length = 0;
  change(later(1, 1_001, answered), later(2, 1_002, { status: 'closed' }), row(1_003));
  send(event);
  await settle();
  expect(waiting.minutes()).toEqual([1_003, 3]);
  expect(counts()).toEqual({ waiting: 2, answered: 1, ended: 1 });
  expect([...calls].sort()).toEqual(['/api/requests/counts', newest]);
  for (let at = 0; at < 10; at++) send(event);
  change(later(1, 1_004));
  await wait(60_000);
  expect(waiting.minutes()).toEqual([1, 1_003, 3]);
  expect(calls).toHaveLength(4);
});

test('a list keeps what was read of it, however long it is', async () => {
  const { inbox, change, calls, send } = open(Array.from({ length: 500 }, (_, at) => row(at)));
  const { observer, minutes } = show(inbox, 'waiting');
  await settle();
  await observer.fetchNextPage();
  await observer.fetchNextPage();
  expect(minutes()).toHaveLength(440);
  calls.length = 0;
  change(later(70, 1_001, { status: 'closed' }), later(80, 1_002));
  send(missed);
  await wait(60_000);
  expect(minutes()).toHaveLength(439);
  expect(minutes()[0]).toBe(80);
  expect(minutes()).not.toContain(70);
  expect(calls).toEqual([newest]);
});

test('when more has changed than one page shows, the lists are read again', async () => {
  const { inbox, change, calls, send } = open([row(1), row(2)]);
  const { minutes } = show(inbox, 'waiting');
  await settle();
  calls.length = 0;
  change(...Array.from({ length: 60 }, (_, at) => row(1_001 + at)), later(2, 1_002, { status: 'closed' }));
  send(missed);
  await wait(60_000);
  expect(minutes()).toEqual(Array.from({ length: 40 }, (_, at) => 1_060 - at));
  expect(calls).toEqual([newest, '/api/requests?filter=waiting&content=true&limit=40']);
});

test('a list that is being read already is not read twice, and what changes until the stream begins is read with it', async () => {
  const { inbox, change, calls, send } = open([row(1)], Promise.resolve({ requests: [row(1)] }));
  const { minutes } = show(inbox, 'waiting');
  await settle();
  expect(minutes()).toEqual([1]);
  expect(calls).toEqual([]);
  change(row(7));
  send(missed);
  await settle();
  expect(minutes()).toEqual([7, 1]);
  expect(calls).toEqual([newest]);
});

test('a request that was snoozed or settled on another device is read, though it is not among the newest', async () => {
  const { inbox, change, calls, send } = open(Array.from({ length: 60 }, (_, at) => row(at)));
  const { observer, minutes } = show(inbox, 'waiting');
  await settle();
  await observer.fetchNextPage();
  calls.length = 0;
  const { refCode } = row(5);
  change(row(5, { status: 'responded', turn: 'agent' }));
  send({ ...event, type: 'request_triaged', refCode });
  await settle();
  expect(minutes()).not.toContain(5);
  expect(calls).toEqual([newest, `/api/requests?q=${refCode}&content=true&limit=40`]);
});

test('an event that comes while a list is read is not lost', async () => {
  const { inbox, change, send, setAnswer } = open([row(1), row(2), row(3)]);
  const waiting = show(inbox, 'waiting');
  await settle();
  let release = () => {};
  setAnswer((response) => new Promise((resolve) => (release = () => resolve(response))));
  void waiting.observer.refetch();
  await settle();
  // The relay made its answer before these changes.
  change(later(2, 1_001, answered), later(3, 1_002, { status: 'closed' }), row(1_003));
  setAnswer(async (response) => response);
  send(event);
  await settle();
  release();
  await settle();
  expect(waiting.minutes()).toEqual([1_003, 1]);
});

test('a call that the rate limit refused is repeated when the relay allows it', async () => {
  const { inbox, change, send, setAnswer } = open([]);
  show(inbox, 'waiting');
  await settle();
  change(row(1_001));
  setAnswer(async () => new Response('{}', { status: 429, headers: { 'retry-after': '30' } }));
  send(event);
  await wait(10_000);
  expect(inbox.rows.get()).toEqual([]);
  setAnswer(async (response) => response);
  await wait(60_000);
  expect(inbox.rows.get()).toEqual([row(1_001)]);
});

const about = (type: 'new_request' | 'new_message', minute: number, from?: 'agent' | 'expert') =>
  ({ ...event, type, requestId: `request-${minute}`, from }) as ExpertEvent;

/** What the inbox tells the expert. */
function listen(inbox: Inbox): string[] {
  const news: string[] = [];
  inbox.onNews(({ kind, row: { requestId } }) => news.push(`${kind} ${requestId}`));
  return news;
}

test('news are the requests and messages of agents of which events tell, each once', async () => {
  const { inbox, change, send } = open([row(1), row(2), row(3, answered), row(4), row(5)]);
  const news = listen(inbox);
  // A page that shows no list: the counts alone are read.
  showCounts(inbox);
  await settle();
  change(row(7), later(2, 8), later(3, 9), later(4, 10, answered), row(11, { status: 'closed' }));
  send(about('new_request', 7), about('new_request', 7), about('new_message', 7, 'agent'));
  send(
    about('new_message', 3, 'agent'),
    about('new_message', 2, 'agent'),
    about('new_message', 4, 'expert'),
    about('new_request', 11),
  );
  await wait(60_000);
  expect(news).toEqual(['request request-7', 'message request-2', 'message request-3']);
  // A submit may become visible after one that began later.
  change(row(6));
  send(about('new_request', 6));
  await wait(60_000);
  expect(news.slice(3)).toEqual(['request request-6']);
});

test('after events were missed, all that is newer is news', async () => {
  const { inbox, change, send } = open([row(1), row(2), row(3, answered)]);
  show(inbox, 'waiting');
  await settle();
  const news = listen(inbox);
  change(row(7), later(2, 8), later(3, 9, answered));
  send(missed);
  await wait(60_000);
  expect(news).toEqual(['request request-7', 'message request-2']);
});

test('a tab that begins to follow shows what has changed, and tells only what comes then', async () => {
  const { inbox, change, send, tab, wake, calls } = open([row(1)]);
  const { minutes } = show(inbox, 'waiting');
  await settle();
  const news = listen(inbox);
  tab.isFollowing = false;
  change(row(7));
  send(about('new_request', 7));
  await wait(60_000);
  expect(calls).toHaveLength(1);
  tab.isFollowing = true;
  wake();
  await settle();
  expect(minutes()).toEqual([7, 1]);
  change(row(8));
  send(missed);
  await wait(1_000);
  expect(news).toEqual(['request request-8']);
});

test('rows and news need no counts', async () => {
  const { inbox, change, send, setAnswer } = open([row(1)]);
  show(inbox, 'waiting');
  showCounts(inbox);
  await settle();
  const news = listen(inbox);
  setAnswer((response, path) =>
    path.endsWith('/counts') ? new Promise(() => {}) : Promise.resolve(response),
  );
  for (const minute of [7, 8]) {
    change(row(minute));
    send(about('new_request', minute));
    await wait(1_000);
  }
  expect(news).toEqual(['request request-7', 'request request-8']);
});

test('a read that has failed is made again with the next event, also one that nothing was missed', async () => {
  const { inbox, change, send, setAnswer } = open([row(1)]);
  show(inbox, 'waiting');
  await settle();
  const news = listen(inbox);
  change(row(7));
  setAnswer(async () => new Response('{}', { status: 500 }));
  send(about('new_request', 7));
  await wait(60_000);
  setAnswer(async (response) => response);
  send({ type: 'unknown', isMissed: false });
  await wait(1_000);
  expect(news).toEqual(['request request-7']);
  send({ type: 'unknown', isMissed: false });
  await wait(60_000);
  expect(news).toHaveLength(1);
});

test('a row shows its question and its agent only as the SDK has checked them', async () => {
  const { inbox } = open([row(12), row(13)]);
  show(inbox, 'waiting');
  await settle();
  expect(inbox.rows.get()).toMatchObject([
    {
      requestId: 'request-13',
      question: '',
      agentName: undefined,
      isRefused: true,
      agent: { keyId: 'key', name: '' },
    },
    {
      requestId: 'request-12',
      question: 'May I remove lock 12?',
      agentName: 'signed agent',
      kind: 'Approval',
    },
  ]);
});
