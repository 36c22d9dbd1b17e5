import { RelayError } from '@expert-relay/sdk';
import type { Expert, ExpertEvent } from '@expert-relay/sdk/expert';
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { InfiniteQueryObserver, QueryClient, QueryObserver } from '@tanstack/react-query';
import { connection } from '../calls/connection.ts';
import { createCallBudget } from '../live/call-budget.ts';
import { createPace } from '../live/pace.ts';
import { provideLocks } from '../testing/provide-locks.ts';
import { requestRow as row } from '../testing/requests.ts';
import { createInbox, type Inbox } from './inbox.ts';
import { type Filter, filterOf, type Listing, type RequestEvent, type Row, rowsOf } from './rows.ts';

provideLocks();

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

/** A row as the relay lists it, with its content. */
const listed = (row: Row) => ({ ...row, context: [] });

const event = (type: RequestEvent['type'], minute: number, from?: 'agent' | 'expert'): ExpertEvent => ({
  type,
  requestId: `request-${minute}`,
  refCode: undefined,
  from,
  messageId: undefined,
  reason: 'closed',
});

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
function open(requests: readonly Row[]) {
  const stored = [...requests];
  const calls: string[] = [];
  let answer = async (response: Response) => response;
  globalThis.fetch = async (input) => {
    const url = new URL(String(input), 'http://relay.test');
    calls.push(`${url.pathname}${url.search}`);
    return answer(Response.json(url.pathname.endsWith('/counts') ? counts() : page(url.searchParams)));
  };
  const counts = () => {
    const count = (filter: Filter) => stored.filter((one) => filterOf(one) === filter).length;
    return { filters: { waiting: count('waiting'), answered: count('answered'), ended: count('ended') } };
  };
  const page = (query: URLSearchParams) => {
    const found = stored
      .filter((one) => !query.has('filter') || filterOf(one) === query.get('filter'))
      .sort((one, other) => (one.createdAt < other.createdAt ? 1 : -1));
    const from = Number(query.get('after') ?? 0);
    const end = from + Number(query.get('limit'));
    return { requests: found.slice(from, end).map(listed), ...(end < found.length && { next: String(end) }) };
  };

  const listeners = new Set<(event: ExpertEvent) => void>();
  const pace = createPace({ budget: createCallBudget({ burst: 2, spacingMs: 4_000 }), reserve: 0 });
  const live = {
    pace,
    begun: Promise.resolve(),
    listen(call: (event: ExpertEvent) => void) {
      listeners.add(call);
      return () => listeners.delete(call);
    },
  };
  const inbox = createInbox({ live: live as never, queries, check });
  ends.push(inbox.follow());
  return {
    inbox,
    stored,
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
function show(inbox: Inbox, listing: Listing) {
  const observer = new InfiniteQueryObserver(queries, inbox.listQuery(listing));
  ends.push(observer.subscribe(() => {}));
  return {
    observer,
    minutes: () =>
      rowsOf(inbox.rows.get(), listing, undefined).map(({ requestId }) => Number(requestId.split('-')[1])),
  };
}
function showCounts(inbox: Inbox) {
  const observer = new QueryObserver(queries, inbox.countsQuery);
  ends.push(observer.subscribe(() => {}));
  return () => observer.getCurrentResult().data;
}
/** Waits until all calls are answered, except paced ones. */
const settle = () => jest.advanceTimersByTimeAsync(0);
const wait = (ms: number) => jest.advanceTimersByTimeAsync(ms);

test('a new request is shown from its event, and one call completes it', async () => {
  const { inbox, stored, calls, send } = open([row(1)]);
  const waiting = show(inbox, { filter: 'waiting' });
  const counts = showCounts(inbox);
  await settle();
  calls.length = 0;
  stored.push(row(2), row(3));
  send(event('new_request', 2), event('new_request', 3));
  expect(waiting.minutes()).toEqual([3, 2, 1]);
  expect(counts()).toMatchObject({ waiting: 3 });
  expect(inbox.rows.get()[0]?.agent).toBeUndefined();
  await wait(60_000);
  expect(inbox.rows.get()).toEqual([row(3), row(2), row(1)]);
  expect(calls).toEqual(['/api/requests?content=true&limit=50']);
});

test('events about known requests cause no call', async () => {
  const { inbox, calls, send } = open([row(1), row(2), row(3)]);
  const waiting = show(inbox, { filter: 'waiting' });
  const counts = showCounts(inbox);
  await settle();
  calls.length = 0;
  send(event('new_message', 1, 'expert'), event('key_exchange', 3), event('request_closed', 2));
  send(event('new_message', 1, 'expert'), event('request_closed', 2), event('new_request', 3));
  await wait(60_000);
  expect(calls).toEqual([]);
  expect(waiting.minutes()).toEqual([3]);
  expect(counts()).toEqual({ waiting: 1, answered: 1, ended: 1 });
});

test('an event that comes while the list is being read is not lost', async () => {
  const { inbox, stored, send, setAnswer } = open([row(1), row(2), row(3)]);
  const waiting = show(inbox, { filter: 'waiting' });
  await settle();
  let release = () => {};
  setAnswer((response) => new Promise((resolve) => (release = () => resolve(response))));
  void waiting.observer.refetch();
  await settle();
  // The relay made its answer before these changes.
  stored.splice(1, 2, row(2, answered), row(3, { status: 'closed' }));
  send(event('new_message', 2, 'expert'), event('request_closed', 3));
  release();
  await settle();
  expect(waiting.minutes()).toEqual([1]);
});

test('unknown requests appear after one call for all of them', async () => {
  const { inbox, stored, calls, send } = open([row(1), row(2, answered), row(3, answered), row(4, answered)]);
  const waiting = show(inbox, { filter: 'waiting' });
  const counts = showCounts(inbox);
  await settle();
  expect(waiting.minutes()).toEqual([1]);
  calls.length = 0;
  stored.splice(1, 2, row(2, { status: 'responded' }), row(3, { status: 'responded' }));
  send(event('new_message', 2, 'agent'), event('new_message', 3, 'agent'));
  await wait(60_000);
  expect(waiting.minutes()).toEqual([3, 2, 1]);
  expect(counts()).toEqual({ waiting: 3, answered: 1, ended: 0 });
  expect([...calls].sort()).toEqual(['/api/requests/counts', '/api/requests?content=true&limit=50']);
});

test('a request that is not on the first page appears too', async () => {
  const newer = Array.from({ length: 250 }, (_, at) => row(at + 10, { status: 'closed' }));
  const { inbox, stored, send } = open([row(1, answered), ...newer]);
  const waiting = show(inbox, { filter: 'waiting' });
  await settle();
  stored[0] = row(1, { status: 'responded' });
  send(event('new_message', 1, 'agent'));
  await wait(60_000);
  expect(waiting.minutes()).toEqual([1]);
});

test('after events were missed, the shown lists are read again: of a long one only the first pages', async () => {
  const { inbox, stored, calls, send } = open(Array.from({ length: 1_100 }, (_, at) => row(at)));
  const { observer, minutes } = show(inbox, { filter: 'waiting' });
  const counts = showCounts(inbox);
  await settle();
  for (let page = 2; page <= 6; page++) await observer.fetchNextPage();
  expect(minutes()).toHaveLength(1_100);
  calls.length = 0;

  send({ type: 'unknown', isMissed: false });
  await wait(60_000);
  expect(calls).toEqual([]);

  stored.splice(1_000, 1, row(1_000, { status: 'closed' }));
  send({ type: 'unknown', isMissed: true });
  await wait(60_000);
  expect(minutes()).not.toContain(1_000);
  expect(counts()).toEqual({ waiting: 999 + 100, answered: 0, ended: 1 });
  expect(calls).toHaveLength(1 + 3);
  expect(observer.getCurrentResult().hasNextPage).toBe(true);
});

test('a call that the rate limit refused is repeated when the relay allows it', async () => {
  const { inbox, stored, send, setAnswer } = open([]);
  show(inbox, { filter: 'waiting' });
  await settle();
  stored.push(row(1));
  setAnswer(async () => new Response('{}', { status: 429, headers: { 'retry-after': '30' } }));
  send(event('new_request', 1));
  await wait(10_000);
  expect(inbox.rows.get()[0]?.agent).toBeUndefined();
  setAnswer(async (response) => response);
  await wait(60_000);
  expect(inbox.rows.get()).toEqual([row(1)]);
});

test('news are new requests and messages of agents, each once', async () => {
  const { inbox, send } = open([row(1)]);
  show(inbox, { filter: 'waiting' });
  await settle();
  const news: string[] = [];
  inbox.onNews(({ kind, requestId }) => news.push(`${kind} ${requestId}`));
  send(event('new_request', 1), event('new_request', 2), event('new_request', 2));
  send(event('new_message', 1, 'expert'), event('new_message', 1, 'agent'), event('key_exchange', 1));
  expect(news).toEqual(['request request-2', 'message request-1']);
});

test('requests that were made while events were missed are news too', async () => {
  const { inbox, stored, send } = open([row(1), row(2, answered)]);
  const news: string[] = [];
  inbox.onNews(({ requestId }) => news.push(requestId));
  show(inbox, { filter: 'answered' });
  await settle();
  // The first read of this list reports no news.
  show(inbox, { filter: 'waiting' });
  await settle();
  stored.push(row(3), row(4), row(5, { status: 'closed' }));
  send(event('new_request', 3));
  send({ type: 'unknown', isMissed: true });
  await wait(60_000);
  expect(news).toEqual(['request-3', 'request-4']);
});

test('news wait a limited time for the name of the agent', async () => {
  const { inbox, stored, send } = open([]);
  stored.push(row(1));
  send(event('new_request', 1), event('new_request', 2));
  const rows = Promise.all([inbox.complete('request-1'), inbox.complete('request-2')]);
  await wait(10_000);
  const [complete, incomplete] = await rows;
  expect(complete?.agent?.name).toBe('build agent');
  expect(incomplete).toBeUndefined();
});

test('a row shows its question and its agent only as the SDK has checked them', async () => {
  const { inbox } = open([row(12), row(13)]);
  await show(inbox, {}).observer.refetch();
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
      form: 'approval',
    },
  ]);
});
