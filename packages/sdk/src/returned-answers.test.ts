import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { makeRoot } from './crypto/index.ts';
import type { Conversation, ConversationState, Question } from './index.ts';
import { takeMessages } from './testing/take-messages.ts';
import { useTestServer } from './testing/use-test-server.ts';
import { watchStates } from './testing/watch-states.ts';

/*
 * A process may be killed at any moment between the arrival of an answer and the moment at which its program has processed it. What
 * it leaves is the state that was saved last. So each state that is saved in this time must have the answer, or be older than it.
 */

const server = useTestServer();
const root = makeRoot();
const timeoutMs = 60_000;
const form = { type: 'object', properties: {} } as const;

/** Asks, and keeps all states that are saved. `atPost` gets the newest one when a message is sent. */
async function ask(question: Question) {
  const saved: ConversationState[] = [];
  const atPost: ConversationState[] = [];
  const newest = () => saved.at(-1) as ConversationState;
  const agent = server.agent({
    store: watchStates((state) => void saved.push(state)),
    async fetch(input, init) {
      if (String(input).includes('/message/')) atPost.push(newest());
      return await fetch(input, init);
    },
  });
  return { conversation: await agent.ask(question), saved, atPost, newest };
}

const requestOf = async ({ requestId }: Pick<Conversation, 'requestId'>) =>
  await server.expert({ root }).request(requestId);

/** The answers that a process returns which continues with this state. */
async function answersAfter(state: ConversationState): Promise<string[]> {
  const conversation = await server.agent().resume(state);
  await conversation.refresh();
  const texts: string[] = [];
  for (;;) {
    const answer = await conversation
      .waitForAnswer({ timeoutMs: 0, includeEarly: true })
      .catch(() => undefined);
    if (!answer) return texts;
    texts.push(answer.text);
  }
}

const file = { name: 'log.txt', mediaType: 'text/plain', bytes: new TextEncoder().encode('It hangs.') };

test.concurrent('a slow store neither hides an answer from who does not wait, nor ends with an older state', async () => {
  const kept: ConversationState[] = [];
  const store = watchStates((state) => void kept.push(state));
  let delayMs = 200;
  const agent = server.agent({
    store: {
      ...store,
      async set(name, value) {
        // Later writes are faster.
        delayMs = Math.max(0, delayMs - 40);
        await pause(delayMs);
        await store.set(name, value);
      },
    },
  });
  const conversation = await agent.ask({ question: 'May I?' });
  const request = await requestOf(conversation);
  for (const text of ['One.', 'Two.', 'Three.']) await request.answer(text);
  await conversation.refresh();
  const texts = await Promise.all([1, 2, 3].map(() => conversation.waitForAnswer({ timeoutMs: 0 })));
  expect(texts.map(({ text }) => text)).toEqual(['One.', 'Two.', 'Three.']);
  await expect(conversation.waitForAnswer({ timeoutMs: 0 })).rejects.toMatchObject({ code: 'timeout' });
  expect(await answersAfter(kept.at(-1) as ConversationState)).toEqual([]);
});

describe('an answer survives a kill', () => {
  test.concurrent('while a text that waited for the keys is sent before it is returned', async () => {
    const { conversation, atPost, newest } = await ask({ question: 'May I?', files: [file] });
    // Keys and answer arrive in one read, since the expert does without the file.
    await (await requestOf(conversation)).answer('Yes.', { withoutParts: true });
    const answer = await conversation.waitForAnswer({ timeoutMs, includeEarly: true });
    expect(answer.text).toBe('Yes.');
    expect(atPost).toHaveLength(1);
    for (const state of [...atPost, newest()]) expect(await answersAfter(state)).toEqual(['Yes.']);
  });

  test.concurrent('while the body of a loop runs, which sends, and not after the next step', async () => {
    const { conversation, atPost, newest } = await ask({ question: 'May I?' });
    const request = await requestOf(conversation);
    await request.answer('Yes.');
    const answers = conversation[Symbol.asyncIterator]();
    expect((await answers.next()).value).toMatchObject({ text: 'Yes.', seenYourLast: true });
    await conversation.send('Really?');
    for (const state of [...atPost, newest()]) expect(await answersAfter(state)).toEqual(['Yes.']);
    // It was written before the text that was sent since then.
    const again = await server.agent().resume(newest());
    await expect(again.waitForAnswer({ timeoutMs: 0 })).rejects.toMatchObject({ code: 'timeout' });
    const next = answers.next();
    await request.refresh();
    await takeMessages(request);
    await request.answer('Really.');
    expect((await next).value).toMatchObject({ text: 'Really.' });
    expect(await answersAfter(newest())).toEqual(['Really.']);
    await conversation.close();
    expect(await answersAfter(newest())).toEqual([]);
    // A program that exports has its answers.
    expect(await answersAfter(conversation.export())).toEqual([]);
  });

  test.concurrent('while `onReply` has it, and a decision is returned once', async () => {
    const { conversation, saved, newest } = await ask({ question: 'May I?', form });
    const request = await requestOf(conversation);
    await request.answer('Which one?');
    const inHand: ConversationState[] = [];
    const decision = conversation.waitForDecision({
      timeoutMs,
      async onReply() {
        await conversation.send('All of them.');
        inHand.push(newest());
      },
    });
    while (inHand.length === 0) await pause(10);
    for (const state of inHand) expect(await answersAfter(state)).toEqual(['Which one?']);
    const before = saved.length;
    await request.refresh();
    await takeMessages(request);
    const of = request.form?.of ?? '';
    await request.answer('Yes.', { decision: { action: 'accept', content: {}, of } });
    expect(await decision).toMatchObject({ action: 'accept', comment: 'Yes.' });
    expect(await answersAfter(newest())).toEqual([]);
    const decided = saved.slice(before).filter((state) => state.decided !== undefined);
    for (const state of decided) {
      const again = await server.agent().resume(state);
      expect(await again.waitForDecision({ timeoutMs })).toMatchObject({ comment: 'Yes.' });
      await expect(again.waitForAnswer({ timeoutMs: 0, includeEarly: true })).rejects.toMatchObject({
        code: 'timeout',
      });
    }
    expect(decided.length).toBeGreaterThan(0);
  });
});

test.concurrent('two programs that wait at the same time get different answers', async () => {
  const { conversation } = await ask({ question: 'May I?', files: [file] });
  const request = await requestOf(conversation);
  await request.answer('Yes.', { withoutParts: true });
  await request.answer('No.', { withoutParts: true });
  const both = [1, 2].map(() => conversation.waitForAnswer({ timeoutMs, includeEarly: true }));
  const texts = (await Promise.all(both)).map(({ text }) => text);
  expect(texts.sort()).toEqual(['No.', 'Yes.']);
});
