import { eventually, type Json, type LyingRelay } from '@expert-relay/testkit';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { createClient } from '../client.ts';
import { makeRoot } from '../crypto/index.ts';
import { RelayError } from '../relay-error.ts';
import { createMemoryStore } from '../store.ts';
import { quick } from '../testing/quick.ts';
import { useSession } from '../testing/use-session.ts';
import { useTestServer } from '../testing/use-test-server.ts';
import type { Expert } from './expert.ts';
import { createInbox } from './inbox.ts';

const server = useTestServer();
const session = useSession(server);
let liar: LyingRelay;
let expert: Expert;
let ask: (question: string) => Promise<string>;
let close: (requestId: string) => Promise<void>;

beforeEach(async () => {
  const { consumerKey, providerKey } = await server.constellation.makeTenant();
  liar = await server.startLyingRelay();
  const relay = server.agent({ apiKey: consumerKey });
  expert = server.expert({ url: liar.url, apiKey: providerKey });
  const direct = server.expert({ apiKey: providerKey });
  close = async (requestId) => (await direct.request(requestId)).close();
  ask = async (question) => (await relay.ask({ question })).requestId;
});
const broken = { status: 500, body: {} };

/** The questions of the requests that the iterator returns. */
function listen(signal?: AbortSignal) {
  const questions: string[] = [];
  const ended = (async () => {
    for await (const { question } of expert.requests({ signal })) questions.push(question);
  })();
  return { questions, ended };
}

test('requests that cannot be read do not block others, and are returned once they can be read', async () => {
  const unreadable = new Set([await ask('a'), await ask('b')]);
  await ask('c');
  let tries = 0;
  liar.tell({
    swallow({ path }) {
      if (![...unreadable].some((id) => path.includes(`/messages/${id}`))) return undefined;
      tries += 1;
      return broken;
    },
  });
  const { questions, ended } = listen();
  await eventually('the request after them', () => questions.length === 1);
  await ask('d');
  await eventually('a new one', () => questions.length === 2);
  expect(questions).toEqual(['c', 'd']);
  const before = tries;
  await eventually('another look at them', () => tries > before + 6);
  unreadable.delete([...unreadable][0] as string);
  await eventually('the first', () => questions.length === 3);
  unreadable.clear();
  await eventually('the second', () => questions.length === 4);
  await ask('e');
  await eventually('one more', () => questions.length === 5);
  expect(questions).toEqual(['c', 'd', 'a', 'b', 'e']);
  expert.stop();
  await expect(ended).rejects.toMatchObject({ code: 'aborted' });
});

test('an abort ends the iterator at once, even if no request can be read', async () => {
  await ask('a');
  let tries = 0;
  liar.tell({
    swallow({ path }) {
      if (!path.includes('/messages/')) return undefined;
      tries += 1;
      return broken;
    },
  });
  const aborted = new AbortController();
  const { questions, ended } = listen(aborted.signal);
  await eventually('many tries', () => tries > 12);
  aborted.abort();
  await expect(ended).rejects.toMatchObject({ code: 'aborted' });
  expect(questions).toEqual([]);
});

test('a request that has ended before it could be read is not returned', async () => {
  const [first] = [await ask('a'), await ask('b')];
  let isBroken = true;
  liar.tell({
    swallow: ({ path }) => (isBroken && path.includes(`/messages/${first}`) ? broken : undefined),
  });
  const { questions, ended } = listen();
  await eventually('the request after it', () => questions.length === 1);
  await close(first);
  isBroken = false;
  await ask('c');
  await eventually('the next', () => questions.length === 2);
  expert.stop();
  await ended.catch(() => {});
  expect(questions).toEqual(['b', 'c']);
});

test('a message whose event comes after a list that had it counts once', async () => {
  const { consumerKey, providerKey: apiKey } = await server.constellation.makeTenant();
  const conversation = await server.agent({ apiKey: consumerKey }).ask({ question: 'a', encrypted: false });
  const { requestId } = conversation;
  const { api } = createClient(
    { url: server.gatewayUrl, apiKey, timing: quick },
    'apiKey',
    'expert',
    () => {},
  );
  const inbox = createInbox(api, async () => {});
  const taken = () => inbox.take(AbortSignal.timeout(60_000));
  await conversation.send('b');
  inbox.list();
  expect(await taken()).toBe(requestId);
  inbox.noteMessage(requestId, 'agent');
  expect(await taken()).toBe(requestId);
  // There is no event of this one.
  await conversation.send('c');
  inbox.list();
  expect(await taken()).toBe(requestId);
  inbox.stop(new RelayError('aborted', 'The end.'));
});

test('a request that its message moved to the front of a list, past the pages that were still read, is returned', async () => {
  const { consumerKey, providerKey } = await server.constellation.makeTenant();
  const relay = server.agent({ apiKey: consumerKey });
  const moved = await relay.ask({ question: 'a', encrypted: false });
  expert = server.expert({ url: liar.url, apiKey: providerKey });
  liar.tell({
    answer(answer, { path }) {
      if (!path.startsWith('/api/v1/requests?')) return answer;
      return { ...answer, requests: (answer.requests as Json[]).filter(({ question }) => question !== 'a') };
    },
  });
  const { questions, ended } = listen();
  await relay.ask({ question: 'b' });
  await eventually('the events come', () => questions.length === 1);
  await moved.send('Now?');
  await eventually('the other request', () => questions.length === 2);
  expert.stop();
  await ended.catch(() => {});
  expect(questions).toEqual(['b', 'a']);
});

test('a question is never shown with the reference code of another request', async () => {
  const [test, production] = [await ask('Delete test?'), await ask('Delete PRODUCTION?')];
  const { refCode } = await expert.request(test);
  liar.tell({
    answer(answer, { path }) {
      if (path.includes('/by-ref/')) answer.requestId = production;
      if (path.includes(`/messages/${production}`)) answer.refCode = refCode;
      return answer;
    },
  });
  const refused = { reason: 'question_altered', message: expect.stringContaining(refCode) };
  for (const request of [await expert.request(refCode), await expert.request(production)]) {
    expect(request).toMatchObject({ refused: { reason: 'question_altered' }, question: '', context: [] });
    await expect(request.answer('Yes.', { plaintext: true })).rejects.toMatchObject(refused);
  }
  liar.tell({});
  expect(await expert.request(production)).toMatchObject({ question: 'Delete PRODUCTION?' });
  expect(await expert.request(refCode.toLowerCase())).toMatchObject({ question: 'Delete test?' });
});

describe('what an expert was shown', () => {
  const altered = {
    answer(answer: Json) {
      if (answer.messages) answer.question = 'Delete PRODUCTION?';
      return answer;
    },
  };

  test('without the root counts once the root is there', async () => {
    const { consumerKey, providerKey: apiKey } = await server.constellation.makeTenant();
    const [store, root] = [createMemoryStore(), makeRoot()];
    const { refCode } = await server.agent({ apiKey: consumerKey }).ask({ question: 'Delete test?' });
    expect(await server.expert({ apiKey, store }).list()).toMatchObject([{ question: 'Delete test?' }]);
    liar.tell(altered);
    const request = await server.expert({ apiKey, store, root, url: liar.url }).request(refCode);
    expect(request).toMatchObject({ refused: { reason: 'question_altered' }, question: '' });
  });

  test('without the root is the root’s from its first use on', async () => {
    const [apiKey, other] = [await session.makeKey('provider'), await session.makeKey('provider')];
    const [store, root] = [createMemoryStore(), makeRoot()];
    const { refCode } = await server.agent({ apiKey: session.consumerKey }).ask({ question: 'Delete test?' });
    await server.expert({ apiKey, store }).list();
    await server.expert({ apiKey, store, root }).list();
    liar.tell(altered);
    // With another key, a client without the root is shown another question first.
    await server.expert({ apiKey: other, store, url: liar.url }).request(refCode);
    expect(await server.expert({ apiKey: other, store, root, url: liar.url }).request(refCode)).toMatchObject(
      { refused: { reason: 'question_altered' }, question: '' },
    );
  });

  test('counts for all API keys and sessions of the expert, and for no other expert', async () => {
    const [providerKey, other] = [await session.makeKey('provider'), await session.makeKey('provider')];
    const [store, root] = [createMemoryStore(), makeRoot()];
    const { refCode } = await server.agent({ apiKey: session.consumerKey }).ask({ question: 'Delete test?' });
    await server.expert({ apiKey: providerKey, store, root }).list();
    liar.tell(altered);
    const lied = { apiKey: other, store, url: liar.url };
    expect(await server.expert({ ...lied, root }).request(refCode)).toMatchObject({
      refused: { reason: 'question_altered' },
    });
    const page = session.expert({ store, root, url: liar.url });
    expect(await page.request(refCode)).toMatchObject({ refused: { reason: 'question_altered' } });
    // Nothing was shown to this one before.
    expect(await server.expert({ ...lied, root: makeRoot() }).request(refCode)).toMatchObject({
      question: 'Delete PRODUCTION?',
    });
  });
});

test('a list of 200 requests costs one write for each new request, and no read or write later', async () => {
  const { consumerKey, providerKey: apiKey } = await server.constellation.makeTenant();
  const relay = server.agent({ apiKey: consumerKey });
  const questions = Array.from({ length: 200 }, (_, index) => `Question ${index}?`);
  await Promise.all(questions.map((question) => relay.ask({ question })));
  const values = createMemoryStore();
  let reads = 0;
  let writes = 0;
  const store = {
    ...values,
    async get(name: string) {
      reads += 1;
      return await values.get(name);
    },
    async remember(name: string, value: string) {
      writes += 1;
      return await values.remember(name, value);
    },
    async set(name: string, value: string) {
      writes += 1;
      await values.set(name, value);
    },
  };
  const listing = server.expert({ apiKey, root: makeRoot(), store });
  const listed = await listing.list();
  expect(listed.map(({ question }) => question).sort()).toEqual([...questions].sort());
  expect(writes).toBe(200);
  reads = 0;
  expect(await listing.check(await rowsOf(apiKey))).toEqual(listed);
  expect([reads, writes]).toEqual([0, 200]);
});

test('a list shows what the agent has written since the answer, as far as it can be read here', async () => {
  const { consumerKey, providerKey: apiKey } = await server.constellation.makeTenant();
  const root = makeRoot();
  const expert = server.expert({ apiKey, root });
  const agent = server.agent({ apiKey: consumerKey });
  const newestOf = async (reader = expert) => (await reader.list()).map(({ newestText }) => newestText);
  const conversation = await agent.ask({ question: 'May I?' });
  const request = await expert.request(conversation.requestId);
  await request.answer('Yes.');
  await conversation.waitForAnswer();
  expect(await newestOf()).toEqual([undefined]);
  await conversation.send('It is done. And now?');
  expect(await newestOf()).toEqual(['It is done. And now?']);
  // Not without the root, nor with another one, nor if the relay has altered it.
  expect(await newestOf(server.expert({ apiKey }))).toEqual([undefined]);
  expect(await newestOf(server.expert({ apiKey, root: makeRoot() }))).toEqual([undefined]);
  const [row] = (await rowsOf(apiKey)) as [{ newestMessage: { signature: string } }];
  const { newestMessage: message } = row;
  const altered = { ...row, newestMessage: { ...message, signature: `A${message.signature.slice(1)}` } };
  expect(await expert.check([altered])).toMatchObject([{ newestText: undefined, refused: undefined }]);
});

test('a page that has one request under two codes shows one of them', async () => {
  const { consumerKey, providerKey: apiKey } = await server.constellation.makeTenant();
  const asked = await server.agent({ apiKey: consumerKey }).ask({ question: 'Delete test?' });
  const [row] = await rowsOf(apiKey);
  const other = { ...(row as object), refCode: 'HS-22222222', question: 'Delete PRODUCTION?' };
  const listed = await server.expert({ apiKey, root: makeRoot() }).check([row, other]);
  // Both are checked at the same time, and the first one that is remembered is shown.
  const refused = { refused: { reason: 'question_altered' }, question: '' };
  const isFirst = listed[1]?.refused !== undefined;
  expect(listed).toMatchObject(
    isFirst
      ? [{ refCode: asked.refCode, question: 'Delete test?' }, refused]
      : [refused, { refCode: 'HS-22222222', question: 'Delete PRODUCTION?' }],
  );
});

/** A page of the list, as a program reads it that pages itself. */
async function rowsOf(apiKey: string): Promise<readonly unknown[]> {
  const path = '/api/v1/requests?limit=200&content=true';
  const answer = await fetch(server.gatewayUrl + path, { headers: { 'x-api-key': apiKey } });
  return ((await answer.json()) as { requests: unknown[] }).requests;
}
