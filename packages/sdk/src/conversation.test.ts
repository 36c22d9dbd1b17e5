import { eventually } from '@expert-relay/testkit';
import { describe, expect, test } from '@jest/globals';
import { makeRoot } from './crypto/index.ts';
import { createMemoryStore, type Store } from './index.ts';
import { quick } from './testing/quick.ts';
import { useTestServer } from './testing/use-test-server.ts';

const server = useTestServer();
/** Clients with the default times. */
const asInProduction = { timing: {} };

describe('a conversation', () => {
  test('has messages of both sides, encrypted and in order', async () => {
    const relay = server.agent(asInProduction);
    const expert = server.expert({ ...asInProduction, root: makeRoot() });
    const conversation = await relay.ask({ question: 'May I remove the lock file?' });
    for await (const request of expert.requests()) {
      expect(request.question).toBe('May I remove the lock file?');
      await request.answer('Yes, it is stale.');
      await request.answer('Really.');
      break;
    }
    const answer = await conversation.waitForAnswer({ timeoutMs: 60_000 });
    expect(answer).toMatchObject({ text: 'Yes, it is stale.', protection: 'sequenced' });
    expect((await conversation.waitForAnswer({ timeoutMs: 60_000 })).text).toBe('Really.');
    expect(conversation.verification).toBe('first-contact');
    expect(conversation.fingerprint).toBe(await expert.fingerprint());
    await conversation.send('Thanks');
    await conversation.close();
    expect(conversation.status).toBe('closed');
  });

  test('has the lifetime and the tags that the agent chose, and the reason of either side that closes it', async () => {
    const relay = server.agent();
    const expert = server.expert({ root: makeRoot() });
    const asked = { expiresInMs: 1_800_000, tags: ['deploy', 'EU west'] };
    for (const closer of ['agent', 'expert'] as const) {
      const conversation = await relay.ask({ question: 'May I?', ...asked });
      const request = await expert.request(conversation.refCode);
      expect(request.tags).toEqual(asked.tags);
      expect(request.expiresAt).toBe(conversation.expiresAt);
      expect(Date.parse(request.expiresAt) - Date.parse(request.createdAt)).toBe(1_800_000);
      const [listed] = await expert.list({ status: 'pending' });
      expect(listed).toMatchObject({ requestId: request.requestId, tags: asked.tags, closedBy: undefined });

      await (closer === 'agent' ? conversation : request).close({ reason: 'It is settled.' });
      await Promise.all([conversation.refresh(), request.refresh()]);
      const closing = { status: 'closed', closedBy: closer, closeReason: 'It is settled.' };
      expect(conversation).toMatchObject(closing);
      expect(request).toMatchObject(closing);
      expect((await relay.requests())[0]).toMatchObject({ ...closing, tags: asked.tags });
    }
    const wrongs = [
      [{ expiresInMs: 5_000 }, 'expiresIn'],
      [{ expiresInMs: 90_500 }, 'expiresInMs'],
      [{ tags: ['a\nb'] }, 'tags'],
    ] as const;
    for (const [wrong, name] of wrongs)
      await expect(relay.ask({ question: 'May I?', ...wrong })).rejects.toMatchObject({
        code: 'invalid_input',
        message: expect.stringContaining(name),
      });
    await expect(relay.approve('May I?', { expiresInMs: 60_000, timeoutMs: 1 })).rejects.toMatchObject({
      code: 'timeout',
    });
  });

  test('works after another one, on a platform that ignores the signal of an answered fetch', async () => {
    const ignoresSignal: typeof fetch = (url, init) =>
      fetch(url, String(url).includes('?topic=') ? { ...init, signal: null } : init);
    const relay = server.agent({ ...asInProduction, fetch: ignoresSignal });
    const expert = server.expert({ ...asInProduction, root: makeRoot() });
    for (const question of ['The first?', 'The second?', 'The third?']) {
      const conversation = await relay.ask({ question });
      const waiting = conversation.waitForAnswer({ timeoutMs: 60_000 });
      const request = await expert.request(conversation.requestId);
      await request.answer(question);
      expect((await waiting).text).toBe(question);
      await conversation.close();
    }
  });

  test('that a name finds again returns its earlier answer at once', async () => {
    // Polling never reads it: only an event, or the start of waiting, does.
    const relay = server.agent({ timing: { pollMs: 600_000 } });
    const expert = server.expert(asInProduction);
    const question = { question: 'Once more?', encrypted: false, once: crypto.randomUUID() };
    const first = await relay.ask(question);
    await (await expert.request(first.requestId)).answer('Once.');
    // This keeps a stream open that has received events.
    const other = await relay.ask({ question: 'Another?', encrypted: false });
    const answers: string[] = [];
    const waiting = (async () => {
      for await (const { text } of other) answers.push(text);
    })().catch(() => {});
    await (await expert.request(other.requestId)).answer('Another.');
    await eventually('the other answer', () => answers.length === 1);
    const again = await relay.ask(question);
    expect(again.requestId).toBe(first.requestId);
    expect((await again.waitForAnswer({ timeoutMs: 60_000 })).text).toBe('Once.');
    relay.stop();
    await waiting;
  });
});

describe('the first expert of an agent', () => {
  async function askAndAnswer(
    store: Store,
    root: Uint8Array,
    options: { url?: string; apiKey?: string; acceptNewExpert?: boolean } = {},
  ) {
    const relay = server.agent({ store, timing: quick, ...options });
    const expert = server.expert({ root });
    const conversation = await relay.ask({ question: 'Is it you?' });
    await (await expert.request(conversation.requestId)).answer('It is me.');
    await conversation.waitForAnswer({ timeoutMs: 60_000 });
    return conversation.verification;
  }

  test('is remembered even if the relay states another user id for the API key', async () => {
    const [store, root] = [createMemoryStore(), makeRoot()];
    expect(await askAndAnswer(store, root)).toBe('first-contact');
    const liar = await server.startLyingRelay();
    liar.tell({
      answer(answer, { path }) {
        if (path === '/api/v1/whoami') answer.userId = crypto.randomUUID();
        return answer;
      },
    });
    const { url } = liar;
    expect(await askAndAnswer(store, root, { url })).toBe('known');
    await expect(askAndAnswer(store, makeRoot(), { url })).rejects.toMatchObject({
      reason: 'unknown_expert',
    });
  });

  test('is remembered for one API key only: another key of the same user has its own first expert', async () => {
    const [store, root] = [createMemoryStore(), makeRoot()];
    const other = { apiKey: server.tenant.otherConsumerKey };
    expect(await askAndAnswer(store, root)).toBe('first-contact');
    await expect(askAndAnswer(store, makeRoot(), other)).rejects.toMatchObject({ code: 'new_expert' });
    expect(await askAndAnswer(store, makeRoot(), { ...other, acceptNewExpert: true })).toBe('first-contact');
    expect(await askAndAnswer(store, root)).toBe('known');
    await expect(askAndAnswer(store, root, other)).rejects.toMatchObject({ reason: 'unknown_expert' });
  });

  test('is the one that was stored first, when two conversations get their first answers at once', async () => {
    const store = createMemoryStore();
    let reads = 0;
    let release = () => {};
    const bothHaveRead = new Promise<void>((resolve) => {
      release = resolve;
    });
    // Both conversations read the store before either stores its expert.
    const slow = {
      ...store,
      async get(name: string) {
        const known = await store.get(name);
        reads += 1;
        if (reads === 2) release();
        await bothHaveRead;
        return known;
      },
    };
    const results = await Promise.allSettled(
      [makeRoot(), makeRoot()].map((root) => askAndAnswer(slow, root)),
    );
    expect(results.map((one) => (one.status === 'fulfilled' ? one.value : one.reason.reason)).sort()).toEqual(
      ['first-contact', 'unknown_expert'],
    );
  });
});
