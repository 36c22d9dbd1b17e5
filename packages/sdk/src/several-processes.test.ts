import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { makeRoot } from './crypto/index.ts';
import { type Conversation, type ConversationState, createMemoryStore, type Question } from './index.ts';
import { createFileStore } from './node/index.ts';
import { takeMessages } from './testing/take-messages.ts';
import { useTestServer } from './testing/use-test-server.ts';
import { watchStates } from './testing/watch-states.ts';

/* What processes do to each other that continue one conversation: at the same time, or one after the other's end. */

const server = useTestServer();
const root = makeRoot();
const form = { type: 'object', properties: {} } as const;
const timeoutMs = 60_000;
const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** Starts processes with one folder, each of which asks the same question. */
function sharingFolder(question: Question) {
  const folder = mkdtempSync(join(tmpdir(), 'relay-store-'));
  folders.push(folder);
  const store = () => createFileStore(join(folder, 'state'));
  const once = crypto.randomUUID();
  return async () => await server.agent({ store: store() }).ask({ ...question, form, once });
}

const requestOf = async ({ requestId }: Pick<Conversation, 'requestId'>) =>
  await server.expert({ root }).request(requestId);

const agentsTexts = async (conversation: Conversation): Promise<string[]> =>
  (await conversation.messages()).flatMap(({ from, text }) => (from === 'agent' ? [text] : []));

/** Two processes of one question, of which the first has returned the accept. */
async function startDecided() {
  const start = sharingFolder({ question: 'Deploy 4711?' });
  const [first, second] = [await start(), await start()];
  const request = await requestOf(first);
  await request.answer('Yes.', { decision: accept });
  expect(await first.waitForDecision({ timeoutMs })).toMatchObject({ action: 'accept' });
  return { start, first, second, request };
}

const accept = { action: 'accept', content: {} } as const;
const decline = { action: 'decline' } as const;

describe('texts that several processes have', () => {
  const orders = { 'at the same time': true, 'one after the other': false };
  const table = [true, false].flatMap((confidential) =>
    Object.entries(orders).map(([order, isAtOnce]) => ({ confidential, order, isAtOnce })),
  );

  test.concurrent.each(table)(
    'are sent once, $order (confidential: $confidential), and do not block a later process',
    async ({ confidential, isAtOnce }) => {
      const start = sharingFolder({ question: 'Deploy 4711?', confidential });
      const first = await start();
      await first.send('Only to eu-west.');
      await first.send('And not today.');
      const second = await start();
      const request = await requestOf(first);
      await request.pickUp();
      if (isAtOnce) await Promise.all([first.refresh(), second.refresh()]);
      else for (const one of [first, second]) await one.refresh();
      const third = await start();
      await third.refresh();
      for (const one of [first, second, third]) expect(one.unsent).toEqual([]);
      const expected = [...(confidential ? ['Deploy 4711?'] : []), 'Only to eu-west.', 'And not today.'];
      expect(await agentsTexts(third)).toEqual(expected);
      await request.refresh();
      await takeMessages(request);
      await request.answer('', { decision: accept });
      for (const one of [first, second, third]) {
        expect(await one.waitForDecision({ timeoutMs })).toMatchObject({ action: 'accept' });
      }
    },
  );
});

test('a text that one process has sent and another one not waits in no saved state after the end', async () => {
  const start = sharingFolder({ question: 'Deploy 4711?', confidential: true });
  const [first, second] = [await start(), await start()];
  const request = await requestOf(first);
  await request.pickUp();
  await first.refresh();
  await request.refresh();
  await takeMessages(request);
  await request.answer('Yes.', { decision: accept });
  await request.close();
  expect(await first.waitForDecision({ timeoutMs })).toMatchObject({ action: 'accept' });
  await second.close().catch(() => {});
  const third = await start();
  await third.refresh();
  expect(third.unsent).toEqual([]);
  expect(await third.waitForDecision({ timeoutMs })).toMatchObject({ action: 'accept' });
});

test('a decision about the form before is not returned for one that another process has sent', async () => {
  const { first, second, request } = await startDecided();
  await second.refresh();
  await first.send('May I drop production?', { form });
  await request.refresh();
  await takeMessages(request);
  await request.answer('No!', { decision: decline, evenIfNewer: true });
  // A list that was read less than a second ago counts as new.
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  expect(await second.waitForDecision({ timeoutMs })).toMatchObject({ action: 'decline' });
});

describe('an outcome that one process has returned', () => {
  const uses: Record<string, (other: Conversation) => Promise<unknown>> = {
    read: async (other) => await other.waitForAnswer({ timeoutMs }),
    written: async (other) => await other.send('Here is the log.'),
    'done nothing': async () => {},
  };

  test.concurrent.each(Object.keys(uses))('is final for another one that has %s since', async (used) => {
    const { start, second, request } = await startDecided();
    await uses[used]?.(second);
    // Another state is saved last.
    await second.close();
    await request.refresh();
    expect(await (await start()).waitForDecision({ timeoutMs })).toMatchObject({ action: 'accept' });
  });

  test.concurrent('is not changed by a later decline', async () => {
    const { start, second, request } = await startDecided();
    await second.waitForAnswer({ timeoutMs });
    await request.answer('Stop!', { decision: decline, evenIfNewer: true });
    for (const one of [second, await start()])
      expect(await one.waitForDecision({ timeoutMs })).toMatchObject({ action: 'accept', comment: 'Yes.' });
  });

  test.concurrent('is returned again without the relay', async () => {
    const saved: ConversationState[] = [];
    const store = watchStates((state) => void saved.push(state));
    const conversation = await server.agent({ store }).ask({ question: 'May I?', form });
    await (await requestOf(conversation)).answer('Yes.', { decision: accept });
    expect(await conversation.waitForDecision({ timeoutMs })).toMatchObject({ action: 'accept' });
    const calls: string[] = [];
    const counting: typeof fetch = async (input, init) => {
      calls.push(String(input));
      return await fetch(input, init);
    };
    const again = await server.agent({ fetch: counting }).resume(saved.at(-1) as ConversationState);
    expect(await again.waitForDecision({ timeoutMs: 0 })).toMatchObject({ action: 'accept' });
    expect(calls).toEqual([]);
  });

  test.concurrent('is no reply in words to another process, and a later one is', async () => {
    const { second, request } = await startDecided();
    await request.answer('Stop!', { decision: decline, evenIfNewer: true });
    const replies: string[] = [];
    const onReply = ({ text }: { readonly text: string }) => void replies.push(text);
    expect(await second.waitForDecision({ timeoutMs, onReply })).toMatchObject({ action: 'accept' });
    expect(replies).toEqual(['Stop!']);
  });
});

describe('the relay says that it has a text already', () => {
  const taken = { status: 409, body: { error: 'message_id_taken', status: 409, title: 'Taken' } };
  const away = { status: 503, body: { error: 'unavailable', status: 503, title: 'Away' } };
  const timing = { patienceMs: 0 };
  const table = [['says so of a text that it does not list', taken] as const, ['is away', away] as const];

  async function decided(relayUrl: string) {
    const relay = server.agent({ url: relayUrl, secret: makeRoot(), timing });
    const conversation = await relay.ask({
      question: 'May I list the tables?',
      form,
      once: crypto.randomUUID(),
    });
    const request = await requestOf(conversation);
    await request.answer('Yes.', { decision: accept });
    return { conversation, request };
  }

  test.concurrent.each(table)(
    'while the relay %s, an earlier decision counts for no new form',
    async (_, answer) => {
      const liar = await server.startLyingRelay();
      const { conversation, request } = await decided(liar.url);
      expect(await conversation.waitForDecision({ timeoutMs })).toMatchObject({ action: 'accept' });
      liar.tell({
        swallow: ({ method, path }) => (method === 'POST' && path.includes('/message/') ? answer : undefined),
      });
      await expect(conversation.send('May I drop them all?', { form })).rejects.toThrow();
      expect(conversation.unsent).toEqual(['May I drop them all?']);
      await expect(conversation.waitForDecision({ timeoutMs: 500 })).rejects.toThrow();
      liar.tell({});
      await conversation.refresh();
      await request.refresh();
      await takeMessages(request);
      await request.answer('No!', { decision: decline });
      expect(await conversation.waitForDecision({ timeoutMs })).toMatchObject({ action: 'decline' });
    },
  );

  test.concurrent('no decision counts until the expert could read it', async () => {
    const liar = await server.startLyingRelay();
    const relay = server.agent({ url: liar.url, secret: makeRoot(), timing });
    const conversation = await relay.ask({ question: 'May I deploy?', form, once: crypto.randomUUID() });
    await conversation.send('Only if staging is green.');
    liar.tell({
      swallow: ({ method, path }) => (method === 'POST' && path.includes('/message/') ? taken : undefined),
    });
    const request = await requestOf(conversation);
    await request.answer('Yes.', { decision: accept });
    await expect(conversation.refresh()).rejects.toMatchObject({ code: 'conflict' });
    expect(conversation.unsent).toEqual(['Only if staging is green.']);
    await expect(conversation.waitForDecision({ timeoutMs: 500 })).rejects.toThrow();
  });
});

describe('an outcome that no program got', () => {
  test.concurrent('since it could not be saved is not final', async () => {
    const saved: ConversationState[] = [];
    let isFull = false;
    const save = (state: ConversationState) => {
      if (isFull) throw new Error('ENOSPC: no space left on device');
      saved.push(state);
    };
    const store = createMemoryStore();
    const conversation = await server
      .agent({ store: watchStates(save, store) })
      .ask({ question: 'May I?', form });
    const request = await requestOf(conversation);
    await request.answer('Yes.', { decision: accept });
    isFull = true;
    await expect(conversation.waitForDecision({ timeoutMs })).rejects.toThrow('ENOSPC');
    await request.answer('Stop!', { decision: decline });
    const again = await server.agent({ store }).resume(saved.at(-1) as ConversationState);
    expect(await again.waitForDecision({ timeoutMs })).toMatchObject({ action: 'decline' });
  });

  test.concurrent.each(['save', 'remember'] as const)(
    'because %s failed once is final once it has it',
    async (failing) => {
      const saved: ConversationState[] = [];
      let fails = 0;
      const failOnce = (name: string) => {
        if (name === failing && fails-- > 0) throw new Error('EIO: it failed once');
      };
      const save = (state: ConversationState) => {
        failOnce('save');
        saved.push(state);
      };
      const kept = createMemoryStore();
      const store = {
        ...kept,
        async remember(name: string, value: string) {
          failOnce('remember');
          return await kept.remember(name, value);
        },
      };
      const conversation = await server
        .agent({ store: watchStates(save, store) })
        .ask({ question: 'May I?', form });
      const request = await requestOf(conversation);
      await request.answer('Yes.', { decision: accept });
      fails = 1;
      await expect(conversation.waitForDecision({ timeoutMs })).rejects.toThrow('EIO');
      expect(await conversation.waitForDecision({ timeoutMs })).toMatchObject({ action: 'accept' });
      await request.answer('Stop!', { decision: decline, evenIfNewer: true });
      const again = await server.agent({ store: kept }).resume(saved.at(-1) as ConversationState);
      for (const one of [conversation, again]) {
        await one.refresh();
        expect(await one.waitForDecision({ timeoutMs })).toMatchObject({ action: 'accept', comment: 'Yes.' });
        expect((await one.waitForAnswer({ timeoutMs, includeEarly: true })).text).toBe('Stop!');
      }
    },
  );
});

describe('a state that cannot be saved', () => {
  test.concurrent.each([0, 1, 2])('keeps texts from being sent (after %d more saves)', async (saves) => {
    const saved: ConversationState[] = [];
    let left = Number.POSITIVE_INFINITY;
    const save = (state: ConversationState) => {
      left -= 1;
      if (left < 0) throw new Error('ENOSPC: no space left on device');
      saved.push(state);
    };
    const conversation = await server
      .agent({ store: watchStates(save) })
      .ask({ question: 'May I?', confidential: true, form });
    await conversation.send('Only to eu-west.');
    const request = await requestOf(conversation);
    await request.pickUp();
    left = saves;
    for (let attempt = 0; attempt < 3; attempt += 1) await conversation.refresh().catch(() => {});

    const again = await server.agent().resume(saved.at(-1) as ConversationState);
    await again.refresh();
    expect(again.unsent).toEqual([]);
    expect(await agentsTexts(again)).toEqual(['May I?', 'Only to eu-west.']);
    await request.refresh();
    await takeMessages(request);
    await request.answer('', { decision: accept });
    expect(await again.waitForDecision({ timeoutMs })).toMatchObject({ action: 'accept' });
  });
});
