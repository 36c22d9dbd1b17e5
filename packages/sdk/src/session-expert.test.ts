import { setTimeout } from 'node:timers/promises';
import { eventually } from '@expert-relay/testkit';
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { makeRoot } from './crypto/index.ts';
import {
  createExpert,
  type ExpertEvent,
  type ExpertRequest,
  type PendingAnswer,
  type SessionExpertOptions,
} from './expert/index.ts';
import { type Conversation, createMemoryStore, type Store } from './index.ts';
import { pendingTexts } from './testing/pending-texts.ts';
import { quick } from './testing/quick.ts';
import { useTestServer } from './testing/use-test-server.ts';

const server = useTestServer();
const root = makeRoot();
let cookie: string;
let consumerKey: string;
let userId: string;
/** All clients of one test use it. */
let store: Store;
let calls: Call[];
let browserFetch: typeof fetch;

beforeAll(async () => {
  const ask = async (path: string, body: object) => {
    const headers = { 'content-type': 'application/json', ...(cookie && { cookie }) };
    const init = { method: 'POST', headers, body: JSON.stringify(body), redirect: 'manual' } as const;
    return await fetch(server.gatewayUrl + path, init);
  };
  const signedIn = await ask('/auth/dev', { user: 'ada' });
  cookie = signedIn.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  ({ key: consumerKey } = (await (await ask('/api/keys', { name: 'laptop', kind: 'consumer' })).json()) as {
    key: string;
  });
  ({ userId } = (await (await fetch(`${server.gatewayUrl}/api/me`, { headers: { cookie } })).json()) as {
    userId: string;
  });
});
beforeEach(() => {
  store = createMemoryStore();
  calls = [];
  browserFetch = createBrowserFetch(calls);
});

interface Call {
  readonly method: string;
  readonly path: string;
  readonly headers: Headers;
  readonly init: RequestInit;
}

/** A browser's fetch: it adds the cookie to calls of the gateway. It records the calls of the clients of one test. */
function createBrowserFetch(recorded: Call[]): typeof fetch {
  return async (input, init = {}) => {
    const { href, pathname, search } = new URL(String(input));
    const headers = new Headers(init.headers);
    recorded.push({ method: init.method ?? 'GET', path: pathname + search, headers, init });
    if (href.startsWith(server.gatewayUrl) && init.credentials === 'same-origin')
      headers.set('cookie', cookie);
    return await fetch(input, { ...init, headers });
  };
}

function expertWith(options: Partial<SessionExpertOptions> = {}) {
  const expert = createExpert({
    session: true,
    url: server.gatewayUrl,
    root,
    store,
    timing: quick,
    fetch: browserFetch,
    ...options,
  });
  server.onStop(expert.stop);
  return expert;
}

async function ask(question: string, encrypted = true): Promise<Conversation> {
  return await server.agent({ apiKey: consumerKey }).ask({ question, encrypted });
}

async function textsOf(request: ExpertRequest, from = 'expert'): Promise<string[]> {
  const texts: string[] = [];
  await request.close();
  for await (const message of request.messages) if (message.from === from) texts.push(message.text);
  return texts;
}

const patiently = { timeoutMs: 60_000 };
const isPost = (init: RequestInit | undefined, input: unknown) =>
  init?.method === 'POST' && /\/messages$/.test(String(input));

test('an expert who is signed in answers an agent, encrypted, with the session and no API key', async () => {
  const expert = expertWith();
  const conversation = await ask('Is it safe?');
  expect(await expert.whoami()).toEqual({
    kind: 'provider',
    name: 'ada',
    userId,
    topics: [`/svc/providers/${userId}`, `/svc/providers/${userId}/activity`],
  });
  expect(await expert.list({ status: 'pending' })).toMatchObject([{ requestId: conversation.requestId }]);
  const request = await expert.request(conversation.refCode.toLowerCase());
  expect(request).toMatchObject({ question: 'Is it safe?', agent: 'laptop', encrypted: true });
  await request.answer('Yes.');
  expect(await conversation.waitForAnswer(patiently)).toMatchObject({
    text: 'Yes.',
    protection: 'sequenced',
  });
  expect(conversation.fingerprint).toBe(await expert.fingerprint());

  const received: string[] = [];
  const listening = (async () => {
    for await (const { from, text } of request.messages) if (from === 'agent') received.push(text);
  })();
  await conversation.send('Really?');
  await eventually('the question', () => received.includes('Really?'), { timeoutMs: 60_000 });
  await request.answer('Really.');
  expect((await conversation.waitForAnswer(patiently)).text).toBe('Really.');
  await request.close();
  await listening;

  expect(calls.some(({ headers }) => headers.has('x-api-key'))).toBe(false);
  expect(calls.every(({ init }) => init.redirect === 'error')).toBe(true);
  const paths = calls.map(({ method, path }) => `${method} ${path.replace(/\?.*/, '')}`);
  const one = `/api/requests/${conversation.requestId}`;
  // The last three belong to the stream, which may open too late to be used here.
  const expected = [
    ...['GET /api/me', 'GET /api/requests', `GET ${one}`, `POST ${one}/key-exchange`],
    ...[`POST ${one}/messages`, `POST ${one}/close`],
    ...['GET /.well-known/expert-relay', 'POST /api/stream-token', 'GET /'],
  ];
  expect(expected).toEqual(expect.arrayContaining(paths));
  expect(paths).toEqual(expect.arrayContaining(expected.slice(0, 6)));
  const toHub = calls.filter(({ path }) => path.startsWith('/?'));
  expect(toHub.every(({ init }) => init.credentials === 'omit')).toBe(true);
});

test('each connection to the hub has a new stream token', async () => {
  const expert = expertWith();
  const events: ExpertEvent[] = [];
  const listening = (async () => {
    for await (const event of expert.events()) events.push(event);
  })();
  // An event is missed when it comes while no stream is open, so requests are made until one is received.
  const asked = new Map<string, Conversation>();
  const newRequest = async () => {
    const conversation = await ask('Which way?');
    asked.set(conversation.requestId, conversation);
    await setTimeout(500);
    return events.find((event) => event.type === 'new_request' && asked.has(event.requestId));
  };
  await eventually('an event of the first stream', newRequest, { timeoutMs: 240_000 });
  await server.constellation.restart('hub');
  asked.clear();
  const event = await eventually('an event of a later stream', newRequest, { timeoutMs: 240_000 });
  const requestId = event.type === 'new_request' ? event.requestId : '';
  expect(event).toMatchObject({ refCode: asked.get(requestId)?.refCode });
  // Nothing has checked the question of an event.
  expect(event).not.toHaveProperty('question');
  const count = (pattern: RegExp) => calls.filter(({ path }) => pattern.test(path)).length;
  expect(count(/[?&]authorization=/)).toBeGreaterThan(1);
  expect(count(/stream-token$/)).toBeGreaterThanOrEqual(count(/[?&]authorization=/));
  expert.stop();
  await listening.catch(() => {});
});

test('a code of no request of the user is not found, and a code finds no question that only quotes it', async () => {
  const expert = expertWith();
  const { refCode, requestId } = await ask('What is meant?');
  await ask(`See ${refCode}: is it safe?`);
  expect((await expert.request(refCode)).requestId).toBe(requestId);
  await expect(expert.request('HS-00000000')).rejects.toMatchObject({ code: 'not_found' });
});

test('a client without a session, or with options that a session does not have, gets an error', async () => {
  const expert = expertWith({ fetch });
  await expect(expert.list()).rejects.toMatchObject({ code: 'invalid_key', status: 401 });
  expect(() => expertWith({ apiKey: 'hs_prov_x' } as object)).toThrow('no option `apiKey`');
});

test('the question of the first page is kept for later pages', async () => {
  const conversation = await ask('Is it safe?');
  const request = await expertWith().request(conversation.requestId);
  await request.answer('Yes.');
  await conversation.waitForAnswer(patiently);
  await conversation.send('Really?');
  // Later pages come without a question: it must not count as altered.
  await request.refresh();
  expect(request.question).toBe('Is it safe?');
  expect(await textsOf(request, 'agent')).toEqual(['Really?']);
});

describe('with the option `listen`', () => {
  test('events come from another client, and no stream is opened', async () => {
    const listeners = new Set<(event: ExpertEvent) => void>();
    const listen = (call: (event: ExpertEvent) => void) => {
      listeners.add(call);
      return () => void listeners.delete(call);
    };
    const expert = expertWith({ listen });
    const send = (event: ExpertEvent) => {
      for (const call of listeners) call(event);
    };
    const conversation = await ask('Is it safe?');
    const request = await expert.request(conversation.requestId);
    await request.answer('Yes.');
    const [received, events]: [string[], ExpertEvent[]] = [[], []];
    const [left, iterator] = [new AbortController(), expert.events()];
    const listening = Promise.allSettled([
      (async () => {
        for await (const { text } of request.messages) received.push(text);
      })(),
      (async () => {
        for await (const event of expert.events({ signal: left.signal })) events.push(event);
      })(),
    ]);
    await eventually('the answer of this expert', () => received.length === 1);
    await conversation.waitForAnswer(patiently);
    const { messageId } = await conversation.send('Really?');
    const event: ExpertEvent = {
      type: 'new_message',
      requestId: request.requestId,
      refCode: undefined,
      from: 'agent',
      messageId,
      reason: 'closed',
    };
    expect(received).toEqual(['Yes.']);
    send(event);
    await eventually('the question', () => received.includes('Really?'));
    expect(events).toEqual([event]);
    await iterator.return?.();
    left.abort();
    expert.stop();
    await listening;
    expect(listeners.size).toBe(0);
    expect(calls.filter(({ path }) => /stream-token|well-known|^\/\?/.test(path))).toEqual([]);
  });
});

/** What stands in the store of the answer that waits. */
async function storedText(requestId: string): Promise<string | undefined> {
  const value = await store.get(`pending:${requestId}`);
  return value && (JSON.parse(value) as { text: string }).text;
}

describe('an answer that is discarded before it is sent', () => {
  const posts = () => calls.filter(({ init, path }) => isPost(init, path));

  test.each([true, false])('is not reported as sent (encrypted: %p)', async (encrypted) => {
    const conversation = await ask('Is it safe?', encrypted);
    const request = await expertWith().request(conversation.requestId);
    const answering = request.answer('Never mind.', { plaintext: !encrypted });
    const discarding = request.discard();
    await expect(answering).rejects.toMatchObject({ code: 'aborted' });
    expect(await discarding).toEqual(['Never mind.']);
    expect(pendingTexts(request)).toEqual([]);
    expect(posts()).toEqual([]);
    expect(await request.answer('Yes.', { plaintext: !encrypted })).toMatchObject({ isSent: true });
    expect(await textsOf(request)).toEqual(['Yes.']);
  });

  test('is reported with the end of the conversation if that is why it cannot be sent', async () => {
    const conversation = await ask('Is it safe?', false);
    let request: ExpertRequest | undefined;
    const slowStore: Store = {
      ...store,
      remember: async (name, value) => {
        if (name.startsWith('pending:')) await request?.refresh();
        return await store.remember(name, value);
      },
    };
    request = await expertWith({ store: slowStore }).request(conversation.requestId);
    await conversation.close();
    const answering = request.answer('Never mind.', { plaintext: true });
    const discarding = request.discard();
    await expect(answering).rejects.toMatchObject({ code: 'closed' });
    expect(await discarding).toEqual(['Never mind.']);
  });

  test('is not reported as sent when another tab discards it', async () => {
    const conversation = await ask('Is it safe?');
    let other: readonly string[] | undefined;
    const pageFetch: typeof fetch = async (input, init) => {
      if (String(input).endsWith('/key-exchange') && !other) {
        other = await (await expertWith().request(conversation.requestId)).discard();
      }
      return await browserFetch(input, init);
    };
    const request = await expertWith({ fetch: pageFetch }).request(conversation.requestId);
    await expect(request.answer('Never mind.')).rejects.toMatchObject({ code: 'aborted' });
    expect(other).toEqual(['Never mind.']);
    expect(posts()).toEqual([]);
  });

  test('is not sent, nor stored again, by a tab that still tries to send it', async () => {
    const conversation = await ask('Is it safe?');
    let isAway = true;
    const awayFetch: typeof fetch = async (input, init) =>
      isAway && isPost(init, input)
        ? Response.json({ title: 'It is away' }, { status: 503 })
        : await browserFetch(input, init);
    const open = async () =>
      await expertWith({ fetch: awayFetch, timing: { ...quick, patienceMs: 0 } }).request(
        conversation.requestId,
      );
    const trying = await open();
    await expect(trying.answer('Never mind.')).rejects.toMatchObject({ reason: 'unreachable' });
    expect(await (await open()).discard()).toEqual(['Never mind.']);
    isAway = false;
    await trying.refresh();
    expect(trying.pending).toEqual([]);
    expect(await storedText(conversation.requestId)).toBeUndefined();
    expect(await textsOf(await open())).toEqual([]);
  });

  test('is reported as sent when another tab sends it', async () => {
    const conversation = await ask('Is it safe?');
    let isOpened = false;
    const pageFetch: typeof fetch = async (input, init) => {
      if (String(input).endsWith('/key-exchange') && !isOpened) {
        isOpened = true;
        await (await expertWith().request(conversation.requestId)).refresh();
      }
      return await browserFetch(input, init);
    };
    const request = await expertWith({ fetch: pageFetch }).request(conversation.requestId);
    expect(await request.answer('Once.')).toMatchObject({ isSent: true });
    expect(await textsOf(request)).toEqual(['Once.']);
  });
});

describe('an unsent answer of a page that was closed', () => {
  /** The fetch of a page that is closed during the call that sends an answer, before or after the relay has it. */
  function closing(when: 'before' | 'after', isLast = isPost): typeof fetch {
    let isClosed = false;
    const send = browserFetch;
    return async (input, init) => {
      const isHit = isLast(init, input);
      if (isHit && when === 'after' && !isClosed) await send(input, init);
      if (isHit) isClosed = true;
      if (isClosed) throw new TypeError('The page was closed here.');
      return await send(input, init);
    };
  }
  const startAnswer = async (conversation: Conversation, pageFetch: typeof fetch, encrypted = true) => {
    const expert = expertWith({ fetch: pageFetch, timing: { ...quick, patienceMs: 0 } });
    const request = await expert.request(conversation.requestId);
    const answering = request.answer('Once.', { plaintext: !encrypted });
    await expect(answering).rejects.toMatchObject({ reason: 'unreachable' });
    expect(pendingTexts(request)).toEqual(['Once.']);
  };

  test.each([
    ['before', true],
    ['after', true],
    ['before', false],
    ['after', false],
  ] as const)('is sent once: closed %s the relay had it, encrypted: %s', async (when, encrypted) => {
    const conversation = await ask('Is it safe?', encrypted);
    await startAnswer(conversation, closing(when), encrypted);
    expect(await storedText(conversation.requestId)).toBe('Once.');
    const request = await expertWith().request(conversation.requestId);
    // The list shows whether the relay has it.
    expect(pendingTexts(request)).toEqual(when === 'before' ? ['Once.'] : []);
    await request.refresh();
    expect(pendingTexts(request)).toEqual([]);
    expect(await storedText(conversation.requestId)).toBeUndefined();
    await request.answer('Twice.', { plaintext: !encrypted });
    expect((await conversation.waitForAnswer(patiently)).text).toBe('Once.');
    expect((await conversation.waitForAnswer(patiently)).text).toBe('Twice.');
    expect(await textsOf(request)).toEqual(['Once.', 'Twice.']);
  });

  test('is stored, and reported with onStored, before it is sent', async () => {
    const conversation = await ask('Is it safe?');
    const request = await expertWith().request(conversation.requestId);
    const posts = () => calls.filter(({ init, path }) => isPost(init, path)).length;
    let atReport: { kept: Promise<string | undefined>; posts: number } | undefined;
    await request.answer('Once.', {
      onStored: () => {
        atReport = { kept: storedText(conversation.requestId), posts: posts() };
      },
    });
    expect(await atReport?.kept).toBe('Once.');
    expect([atReport?.posts, posts()]).toEqual([0, 1]);
  });

  test.each([
    ['is sent', true],
    ['is held if the agent has written', true],
    ['is sent once if it has arrived already', true],
    ['is gone if it is aborted', true],
    ['is gone if it is aborted', false],
  ])('stored waits for beforeSending, and then %s (encrypted: %p)', async (what, encrypted) => {
    const conversation = await ask('Is it safe?', encrypted);
    const request = await expertWith().request(conversation.requestId);
    const posts = () => calls.filter(({ init, path }) => isPost(init, path)).length;
    const stopped = new AbortController();
    const answering = request.answer('Once.', {
      plaintext: !encrypted,
      signal: stopped.signal,
      async beforeSending(body) {
        expect([await storedText(conversation.requestId), posts()]).toEqual(['Once.', 0]);
        if (what.includes('written')) {
          await conversation.refresh();
          await conversation.send('Wait.');
        } else if (what.includes('arrived')) {
          const headers = { 'content-type': 'application/json' };
          const path = `${server.gatewayUrl}/api/requests/${conversation.requestId}/messages`;
          const sent = { method: 'POST', headers, body: JSON.stringify(body), credentials: 'same-origin' };
          await browserFetch(path, sent as RequestInit);
        } else if (what.includes('aborted')) {
          stopped.abort();
          await setTimeout(60_000, undefined, { ref: false });
        }
      },
    });
    if (what.includes('written')) {
      await expect(answering).rejects.toMatchObject({ code: 'newer_message' });
      expect(request.pending).toMatchObject([{ text: 'Once.', state: 'held' }]);
    } else if (what.includes('aborted')) {
      await expect(answering).rejects.toMatchObject({ code: 'aborted' });
      expect(request.pending).toEqual([]);
      await eventually('it is not stored', async () => !(await storedText(conversation.requestId)));
      await request.answer('Yes.', { plaintext: !encrypted });
      expect(await textsOf(request)).toEqual(['Yes.']);
    } else {
      expect(await answering).toMatchObject({ isSent: true });
      expect(await textsOf(request)).toEqual(['Once.']);
    }
    expect(posts()).toBe(what.includes('written') ? 0 : 1);
  });

  test('does not keep news from the loop while it waits for beforeSending', async () => {
    const conversation = await ask('Is it safe?');
    const { requestId } = conversation;
    const reads = () =>
      calls.filter(({ method, path }) => method === 'GET' && path.includes(requestId)).length;
    /** The event of the pick-up arrives before the call is answered, and finds an answer that is due. */
    const untilRead: typeof fetch = async (input, init) => {
      const before = reads();
      const response = await browserFetch(input, init);
      if (!String(input).endsWith('/key-exchange')) return response;
      await eventually('the list is read', () => reads() > before);
      await setTimeout(200);
      return response;
    };
    const request = await expertWith({ fetch: untilRead }).request(requestId);
    const read: string[] = [];
    const reading = (async () => {
      for await (const { text } of request.messages) read.push(text);
    })();
    const answering = request.answer('Once.', {
      shown: [],
      async beforeSending() {
        await conversation.refresh();
        await conversation.send('Wait.');
        await eventually('the loop has it', () => read.includes('Wait.'));
      },
    });
    await expect(answering).rejects.toMatchObject({ code: 'newer_message' });
    await request.close();
    await reading;
  });

  test('is sent also when the page was closed before the pick-up', async () => {
    const conversation = await ask('Is it safe?');
    const isPickUp = (_: unknown, input: unknown) => String(input).endsWith('/key-exchange');
    await startAnswer(conversation, closing('before', isPickUp));
    const request = await expertWith().request(conversation.requestId);
    expect(pendingTexts(request)).toEqual(['Once.']);
    await request.refresh();
    expect(await conversation.waitForAnswer(patiently)).toMatchObject({
      text: 'Once.',
      protection: 'sequenced',
    });
    expect(await textsOf(request)).toEqual(['Once.']);
  });

  test('is not sent unencrypted: a client without the root leaves it in the outbox', async () => {
    const conversation = await ask('Is it safe?');
    const isPickUp = (_: unknown, input: unknown) => String(input).endsWith('/key-exchange');
    await startAnswer(conversation, closing('before', isPickUp));
    const locked = await expertWith({ root: undefined }).request(conversation.requestId);
    await locked.refresh();
    expect(pendingTexts(locked)).toEqual(['Once.']);
    expect(calls.filter(({ init, path }) => isPost(init, path))).toEqual([]);
  });

  test('is sent before the next answer, or while the messages are followed', async () => {
    const conversation = await ask('Is it safe?');
    await startAnswer(conversation, closing('before'));
    const request = await expertWith().request(conversation.requestId);
    const listening = (async () => {
      for await (const { text } of request.messages) if (text === 'Once.') break;
    })();
    await listening;
    expect(pendingTexts(request)).toEqual([]);
    await startAnswer(conversation, closing('before'));
    const next = await expertWith().request(conversation.requestId);
    await next.answer('Next.');
    expect(await textsOf(next)).toEqual(['Once.', 'Once.', 'Next.']);
  });

  test('is sent once by three tabs at the same time, encrypted or not', async () => {
    for (const isEncrypted of [true, false]) {
      const conversation = await ask('Is it safe?');
      await (await expertWith().request(conversation.requestId)).pickUp();
      if (isEncrypted) await startAnswer(conversation, closing('before'));
      else {
        const draft = { messageId: crypto.randomUUID(), text: 'Once.', isPlain: false, shown: [] };
        await store.set(`pending:${conversation.requestId}`, JSON.stringify(draft));
      }
      const tabs = [expertWith(), expertWith(), expertWith()];
      const requests = await Promise.all(tabs.map((tab) => tab.request(conversation.requestId)));
      expect(requests.map((request) => pendingTexts(request))).toEqual([['Once.'], ['Once.'], ['Once.']]);
      await Promise.all(requests.map((request) => request.refresh()));
      // All tabs can continue: they have the same history.
      for (const [index, request] of requests.entries()) await request.answer(`From tab ${index}.`);
      const texts: string[] = [];
      for (let at = 0; at < 4; at += 1) {
        texts.push((await conversation.waitForAnswer({ ...patiently, includeEarly: true })).text);
      }
      expect(texts).toEqual(['Once.', 'From tab 0.', 'From tab 1.', 'From tab 2.']);
      for (const request of requests) {
        await request.refresh();
        expect(pendingTexts(request)).toEqual([]);
      }
      expect(await storedText(conversation.requestId)).toBeUndefined();
    }
  });

  test('stays after the end, until it is discarded', async () => {
    const conversation = await ask('Is it safe?');
    await startAnswer(conversation, closing('before'));
    await conversation.close();
    const request = await expertWith().request(conversation.requestId);
    await request.refresh();
    expect(pendingTexts(request)).toEqual(['Once.']);
    await expect(request.answer('More.')).rejects.toMatchObject({ code: 'closed' });
    expect(pendingTexts(request)).toEqual(['Once.']);
    const again = await expertWith().request(conversation.requestId);
    expect(pendingTexts(again)).toEqual(['Once.']);
    expect(await again.discard()).toEqual(['Once.']);
    expect(pendingTexts(again)).toEqual([]);
    expect(await storedText(conversation.requestId)).toBeUndefined();
    expect((await expertWith().request(conversation.requestId)).pending).toEqual([]);
  });

  test('is read and removed without a call where the request is gone', async () => {
    const conversation = await ask('Is it safe?');
    await startAnswer(conversation, closing('before'));
    calls.length = 0;
    const { requestId } = conversation;
    expect(await expertWith().pendingAnswer(requestId)).toEqual({
      messageId: expect.any(String),
      text: 'Once.',
      state: 'held',
    });
    await expertWith().removePendingAnswer(requestId);
    expect(await expertWith().pendingAnswer(requestId)).toBeUndefined();
    expect(await storedText(requestId)).toBeUndefined();
    expect(calls).toEqual([]);
  });

  test('is removed when the relay had it before the end', async () => {
    const conversation = await ask('Is it safe?');
    await startAnswer(conversation, closing('after'));
    await conversation.close();
    expect((await expertWith().request(conversation.requestId)).pending).toEqual([]);
    expect(await storedText(conversation.requestId)).toBeUndefined();
  });

  test.each([true, false])(
    'is refused, with its reason, also on the next page, until it is sent again or discarded (encrypted: %p)',
    async (encrypted) => {
      const conversation = await ask('Is it safe?', encrypted);
      let isFull = true;
      const full = { error: 'conversation_full', title: 'It is full', status: 409 };
      const fullFetch: typeof fetch = async (input, init) =>
        isFull && isPost(init, input)
          ? Response.json(full, { status: 409 })
          : await browserFetch(input, init);
      const open = async () => await expertWith({ fetch: fullFetch }).request(conversation.requestId);
      const first = await open();
      const options = { plaintext: !encrypted };
      await expect(first.answer('Yes.', options)).rejects.toMatchObject({ code: 'conflict' });
      const refused = [{ text: 'Yes.', state: 'refused', code: 'conflict' }];
      expect(first.pending).toMatchObject(refused);
      const next = await open();
      expect(next.pending).toMatchObject(refused);
      await next.refresh();
      expect(next.pending).toMatchObject(refused);
      // It is not sent beside another one.
      await expect(next.answer('No.', options)).rejects.toMatchObject({ code: 'conflict' });
      isFull = false;
      const [{ messageId }] = next.pending as readonly [PendingAnswer];
      expect(await next.answer('Yes.', { ...options, messageId })).toEqual({ messageId, isSent: true });
      expect((await conversation.waitForAnswer(patiently)).text).toBe('Yes.');
      isFull = true;
      await expect(next.answer('More.', options)).rejects.toMatchObject({ code: 'conflict' });
      expect(await next.discard()).toEqual(['More.']);
      expect(await storedText(conversation.requestId)).toBeUndefined();
      isFull = false;
      await next.answer('Last.', options);
      expect((await conversation.waitForAnswer(patiently)).text).toBe('Last.');
    },
  );

  test('that is discarded after it arrived was sent', async () => {
    const conversation = await ask('Is it safe?');
    const request = await expertWith({
      fetch: closing('after'),
      timing: { ...quick, patienceMs: 0 },
    }).request(conversation.requestId);
    await expect(request.answer('Once.')).rejects.toMatchObject({ reason: 'unreachable' });
    // Without the list, it cannot be removed.
    await expect(request.discard()).rejects.toMatchObject({ reason: 'unreachable' });
    const next = await expertWith().request(conversation.requestId);
    expect(await next.discard()).toEqual([]);
    expect(await textsOf(next)).toEqual(['Once.']);
  });

  test('is sent once by its id, however often the program says so', async () => {
    const conversation = await ask('Is it safe?');
    const messageId = crypto.randomUUID();
    const sent = { messageId, isSent: true };
    const request = await expertWith().request(conversation.requestId);
    expect(await request.answer('Once.', { messageId })).toEqual(sent);
    expect(await request.answer('Once.', { messageId })).toEqual(sent);
    const next = await expertWith().request(conversation.requestId);
    expect(await next.answer('Once.', { messageId })).toEqual(sent);
    expect(await textsOf(next)).toEqual(['Once.']);
    const upper = request.answer('Twice.', { messageId: messageId.toUpperCase() });
    await expect(upper).rejects.toMatchObject({ code: 'invalid_input' });
  });

  test('takes turns: the next one waits, in each tab, and is not stored in its place', async () => {
    const conversation = await ask('Is it safe?');
    const [request, other] = await Promise.all([
      expertWith().request(conversation.requestId),
      expertWith().request(conversation.requestId),
    ]);
    await Promise.all([request.answer('One.'), request.answer('Two.'), request.answer('Three.')]);
    await startAnswer(conversation, closing('before'));
    await expect(other.answer('Four.')).rejects.toMatchObject({ code: 'conflict' });
    expect(other.pending).toEqual([]);
    expect(await storedText(conversation.requestId)).toBe('Once.');
    const next = await expertWith().request(conversation.requestId);
    expect(await textsOf(next)).toEqual(['One.', 'Two.', 'Three.']);
  });

  test('is not stored if it was aborted', async () => {
    const conversation = await ask('Is it safe?');
    const aborted = new AbortController();
    const abortingFetch: typeof fetch = async (input, init) => {
      if (String(input).endsWith('/key-exchange')) aborted.abort();
      return await browserFetch(input, init);
    };
    const request = await expertWith({ fetch: abortingFetch }).request(conversation.requestId);
    const answering = request.answer('Never mind.', { signal: aborted.signal });
    await expect(answering).rejects.toMatchObject({ code: 'aborted' });
    expect(pendingTexts(request)).toEqual([]);
    expect(await storedText(conversation.requestId)).toBeUndefined();
    const again = await expertWith().request(conversation.requestId);
    await again.answer('Yes.');
    expect(await textsOf(again)).toEqual(['Yes.']);
  });
});
