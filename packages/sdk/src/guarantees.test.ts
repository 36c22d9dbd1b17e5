import { eventually, type Json, type LyingRelay } from '@expert-relay/testkit';
import { alterList, alterSecondOf, blobOf, flipBit } from '@expert-relay/testkit/lies';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { makeRoot } from './crypto/index.ts';
import type { ExpertOptions } from './expert/index.ts';
import { type ConversationState, createMemoryStore } from './index.ts';
import { takeMessages } from './testing/take-messages.ts';
import { useTestServer } from './testing/use-test-server.ts';
import { watchStates } from './testing/watch-states.ts';

const server = useTestServer({ env: { RELAY_RETENTION: '1s', RELAY_PURGE_INTERVAL: '1s' } });
let liar: LyingRelay;
const root = makeRoot();
const expert = (options: Partial<ExpertOptions> = {}) => server.expert({ root, ...options });
const stored = (state: ConversationState): ConversationState => JSON.parse(JSON.stringify(state));
const patiently = { timeoutMs: 60_000 };

beforeEach(async () => {
  liar = await server.startLyingRelay();
});

describe('an answer that was written before the last text was read', () => {
  test('is skipped, although the relay delivers it after that text, and can be read with `includeEarly`', async () => {
    const conversation = await server.agent().ask({ question: 'May I delete the test database?' });
    // The expert's client does not get the agent's messages.
    liar.tell(
      alterList((messages, answer) => {
        answer.messages = messages.filter(({ role }) => role === 'provider');
      }),
    );
    const request = await expert({ url: liar.url }).request(conversation.requestId);
    await request.pickUp();
    await conversation.refresh();
    await conversation.send('WAIT: may I also delete PRODUCTION?');
    await request.answer('Yes, go ahead.');
    await conversation.refresh();
    await expect(conversation.waitForAnswer({ timeoutMs: 100 })).rejects.toMatchObject({ code: 'timeout' });
    const again = await expert().request(conversation.requestId);
    await takeMessages(again);
    await again.answer('No!');
    expect(await conversation.waitForAnswer(patiently)).toMatchObject({ text: 'No!', seenYourLast: true });
    const resumed = await server.agent().resume(stored(conversation.export()));
    expect(await resumed.waitForAnswer({ includeEarly: true, ...patiently })).toMatchObject({
      text: 'Yes, go ahead.',
      seenYourLast: false,
    });
  });

  test('is skipped also when this client had received it before the text', async () => {
    const conversation = await server.agent().ask({ question: 'May I?' });
    await (await expert().request(conversation.requestId)).answer('Yes.');
    await conversation.refresh();
    await conversation.send('WAIT!');
    await expect(conversation.waitForAnswer({ timeoutMs: 100 })).rejects.toMatchObject({ code: 'timeout' });
    for await (const answer of conversation) {
      expect(answer).toMatchObject({ text: 'Yes.', seenYourLast: false });
      break;
    }
  });

  test('is marked for the expert, too: a message that had not seen the last answer', async () => {
    const conversation = await server.agent().ask({ question: 'May I?' });
    const request = await expert().request(conversation.requestId);
    await request.pickUp();
    await conversation.refresh();
    await conversation.send('I did it.');
    await request.refresh();
    await request.answer('Do not.', { evenIfNewer: true });
    const seen: unknown[] = [];
    for await (const { text, seenYourLast } of request.messages) {
      seen.push([text, seenYourLast]);
      if (text === 'Do not.') await conversation.waitForAnswer({ includeEarly: true, ...patiently });
      if (text === 'Do not.') await conversation.send('Oh.');
      if (text === 'Oh.') break;
    }
    expect(seen).toEqual([
      ['I did it.', false],
      ['Do not.', undefined],
      ['Oh.', true],
    ]);
  });
});

describe('after an altered answer', () => {
  /** Two answers, of which the relay alters the second, or the first and only one. */
  async function refused(hasValidAnswer: boolean) {
    const saved: ConversationState[] = [];
    const store = watchStates((state) => void saved.push(state));
    const relay = server.agent({ url: liar.url, store });
    const conversation = await relay.ask({ question: 'May I?' });
    const request = await expert().request(conversation.requestId);
    if (!hasValidAnswer) await request.answer('Unseen.');
    const alter = (message: Json) => Object.assign(blobOf(message), { tag: flipBit(blobOf(message).tag) });
    const lie = hasValidAnswer
      ? alterSecondOf('provider', alter)
      : alterList((messages) => {
          for (const message of messages) alter(message);
        });
    if (hasValidAnswer) for (const text of ['Valid.', 'Unseen.']) await request.answer(text);
    liar.tell(lie);
    return { conversation, lie, latest: () => saved.at(-1) ?? conversation.export() };
  }

  test.each([true, false])(
    'a client refuses the conversation, and its next process does not (a valid answer came before: %s)',
    async (hasValidAnswer) => {
      const { conversation, latest } = await refused(hasValidAnswer);
      if (hasValidAnswer) expect((await conversation.waitForAnswer(patiently)).text).toBe('Valid.');
      await expect(conversation.waitForAnswer(patiently)).rejects.toMatchObject({
        reason: 'wrong_signature',
      });
      liar.tell({});
      await expect(conversation.refresh()).rejects.toMatchObject({ reason: 'wrong_signature' });
      for (const state of [latest(), conversation.export()]) {
        const again = await server.agent().resume(stored(state));
        const texts = [(await again.waitForAnswer(patiently)).text];
        if (texts[0] === 'Valid.') texts.push((await again.waitForAnswer(patiently)).text);
        expect(texts.at(-1)).toBe('Unseen.');
      }
    },
  );

  test('nothing is sent: neither a text that may have been sent already, nor any text after a restart', async () => {
    const { conversation, lie } = await refused(true);
    liar.tell({});
    await conversation.refresh();
    let posts = 0;
    const count = ({ path, method }: { path: string; method: string }) => {
      if (method !== 'POST' || !path.includes('/message/')) return undefined;
      posts += 1;
      return { status: 503, body: {} };
    };
    liar.tell({ swallow: count });
    await expect(conversation.send('One.')).rejects.toMatchObject({ reason: 'unreachable' });
    expect(conversation.unsent).toEqual(['One.']);
    const state = stored(conversation.export());
    await (await expert().request(conversation.requestId)).answer('Altered.');
    posts = 0;
    const alter = alterList((messages) => {
      for (const message of messages) Object.assign(message, { signature: flipBit(message.signature) });
    });
    liar.tell({ ...alter, swallow: count });
    await expect(conversation.refresh()).rejects.toMatchObject({ reason: 'wrong_signature' });
    // The answers that came before are returned.
    expect((await conversation.waitForAnswer({ includeEarly: true })).text).toBe('Valid.');
    const again = await server.agent({ url: liar.url }).resume(state);
    await expect(again.send('Two.')).rejects.toMatchObject({ reason: 'wrong_signature' });
    expect((await again.waitForAnswer({ includeEarly: true })).text).toBe('Valid.');
    expect(posts).toBe(0);
    liar.tell(lie);
  });
});

test('an answer that the relay did not accept is not missing for the next client of the expert', async () => {
  const store = createMemoryStore();
  const conversation = await server.agent().ask({ question: 'May I?' });
  const request = await expert({ url: liar.url, store }).request(conversation.requestId);
  await request.pickUp();
  liar.tell({
    swallow: ({ path, method }) =>
      method === 'POST' && path.includes('/message/') ? { status: 503, body: {} } : undefined,
  });
  await expect(request.answer('Lost.')).rejects.toMatchObject({ reason: 'unreachable' });
  await (await expert({ store }).request(conversation.requestId)).answer('Yes.');
  expect((await conversation.waitForAnswer(patiently)).text).toBe('Yes.');
});

test('messages that the relay erased after the retention are reported as erased, not as missing', async () => {
  const store = createMemoryStore();
  const conversation = await server.agent().ask({ question: 'May I?' });
  const request = await expert({ store }).request(conversation.requestId);
  await request.answer('Yes.');
  expect((await conversation.waitForAnswer(patiently)).text).toBe('Yes.');
  await request.refresh();
  expect(request.erasedAt).toBeUndefined();
  const open = await server.agent().ask({ question: 'Still open?' });
  await conversation.close();
  const again = await server.agent().resume(stored(conversation.export()));
  await eventually(
    'the purge',
    async () => {
      await again.refresh();
      return again.erasedAt !== undefined;
    },
    { timeoutMs: 60_000 },
  );
  await conversation.refresh();
  await request.refresh();
  for (const erased of [
    conversation,
    again,
    request,
    await expert({ store }).request(conversation.requestId),
  ]) {
    expect(erased).toMatchObject({ status: 'closed', erasedAt: expect.stringMatching(/^\d{4}-.*Z$/) });
  }
  await expect(again.waitForAnswer()).rejects.toMatchObject({ code: 'closed' });
  await expect(again.send('More?')).rejects.toMatchObject({ code: 'closed' });
  await expect(again.receipt()).rejects.toMatchObject({ message: expect.stringMatching(/has erased/) });
  await expect(request.answer('More.')).rejects.toMatchObject({ code: 'closed' });
  await open.refresh();
  expect(open.erasedAt).toBeUndefined();
});

test('an answer that was written for another request, because of a changed reference code, is refused', async () => {
  const [asked, other] = [
    await server.agent().ask({ question: 'May I delete the test database?' }),
    await server.agent().ask({ question: 'May I delete PRODUCTION?' }),
  ];
  liar.tell({
    answer(answer, { path }) {
      if (path.includes('/by-ref/')) answer.requestId = other.requestId;
      if (path.includes('/messages/')) {
        Object.assign(answer, { refCode: asked.refCode, question: 'May I delete the test database?' });
      }
      return answer;
    },
  });
  const request = await expert({ url: liar.url }).request(asked.refCode);
  expect(request.question).toBe('May I delete the test database?');
  await request.answer('Yes, go ahead.');
  await expect(other.waitForAnswer(patiently)).rejects.toMatchObject({ reason: 'question_altered' });
  await expect(other.send('Really?')).rejects.toMatchObject({ reason: 'question_altered' });
});

test.each(['before', 'after'])(
  'a slow client of the expert continues, although another client picked up %s it read the request',
  async (when) => {
    const store = createMemoryStore();
    const conversation = await server.agent().ask({ question: 'May I?' });
    const pickUp = async () => {
      const request = await expert({ store }).request(conversation.requestId);
      await request.pickUp();
      return request;
    };
    const earlier = when === 'before' ? await pickUp() : undefined;
    let release = () => {};
    const isReleased = new Promise<void>((resolve) => {
      release = resolve;
    });
    let started = () => {};
    const hasStarted = new Promise<void>((resolve) => {
      started = resolve;
    });
    const slow: typeof fetch = async (url, init) => {
      const response = await fetch(url, init);
      started();
      await isReleased;
      return response;
    };
    const loading = expert({ store, fetch: slow }).request(conversation.requestId);
    await hasStarted;
    const quicker = earlier ?? (await pickUp());
    await quicker.answer('Quick.');
    await quicker.refresh();
    release();
    await (await loading).answer('Slow.');
    const texts = [await conversation.waitForAnswer(patiently), await conversation.waitForAnswer(patiently)];
    expect(texts.map(({ text }) => text)).toEqual(['Quick.', 'Slow.']);
  },
);
