import { type Constellation, startConstellation, type Tenant } from '@expert-relay/constellation';
import { eventually, type Json, type LyingRelay, startLyingRelay } from '@expert-relay/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { makeRoot } from './crypto/index.ts';
import { createExpert, type ExpertOptions } from './expert/index.ts';
import { type ConversationState, createMemory, createRelay, type RelayOptions } from './index.ts';
import { aboutSecondOf, blobOf, flip, inList } from './testing/lies/in-list.ts';
import { quick } from './testing/quick.ts';

let world: Constellation;
let tenant: Tenant;
let liar: LyingRelay;
const root = makeRoot();

beforeAll(async () => {
  world = await startConstellation({
    env: { RELAY_HUB_RETRY: '100ms', RELAY_RETENTION: '1s', RELAY_PURGE_INTERVAL: '1s' },
  });
  tenant = await world.makeTenant();
});
afterAll(async () => world.stop());
beforeEach(async () => {
  liar = await startLyingRelay(world);
});
afterEach(async () => liar.stop());

const agent = (options: Partial<RelayOptions> = {}) =>
  createRelay({ url: world.gatewayUrl, apiKey: tenant.consumerKey, timing: quick, ...options });
const human = (options: Partial<ExpertOptions> = {}) =>
  createExpert({ url: world.gatewayUrl, apiKey: tenant.providerKey, root, timing: quick, ...options });
const stored = (state: ConversationState): ConversationState => JSON.parse(JSON.stringify(state));
const patiently = { timeout: 20_000 };

describe('an answer that had not seen the last text', () => {
  test('is passed over, although the relay delivers it after that text, and stays readable', async () => {
    const conversation = await agent().ask({ question: 'May I delete the test database?' });
    // The agent's messages are held back from the expert.
    liar.tell(
      inList((messages, answer) => {
        answer.messages = messages.filter(({ role }) => role === 'provider');
      }),
    );
    const request = await human({ url: liar.url }).request(conversation.requestId);
    await request.pickUp();
    await conversation.refresh();
    await conversation.send('WAIT: may I also delete PRODUCTION?');
    await request.answer('Yes, go ahead.');
    await conversation.refresh();
    await expect(conversation.waitForAnswer({ timeout: 100 })).rejects.toMatchObject({ code: 'timeout' });
    await (await human().request(conversation.requestId)).answer('No!');
    expect(await conversation.waitForAnswer(patiently)).toMatchObject({ text: 'No!', seenYourLast: true });
    const again = await agent().resume(stored(conversation.export()));
    expect(await again.waitForAnswer({ any: true, ...patiently })).toMatchObject({
      text: 'Yes, go ahead.',
      seenYourLast: false,
    });
  });

  test('is one, too, that was read before the text and is handed out after it', async () => {
    const conversation = await agent().ask({ question: 'May I?' });
    await (await human().request(conversation.requestId)).answer('Yes.');
    await conversation.refresh();
    await conversation.send('WAIT!');
    await expect(conversation.waitForAnswer({ timeout: 100 })).rejects.toMatchObject({ code: 'timeout' });
    for await (const answer of conversation) {
      expect(answer).toMatchObject({ text: 'Yes.', seenYourLast: false });
      break;
    }
  });

  test('is shown to the expert as such', async () => {
    const conversation = await agent().ask({ question: 'May I?' });
    const request = await human().request(conversation.requestId);
    await request.pickUp();
    await conversation.refresh();
    await conversation.send('I did it.');
    await request.refresh();
    await request.answer('Do not.');
    const seen: unknown[] = [];
    for await (const { text, seenYourLast } of request.messages) {
      seen.push([text, seenYourLast]);
      if (text === 'Do not.') await conversation.waitForAnswer(patiently);
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

describe('a refusal', () => {
  /** Two answers, of which the relay alters the second, or the first and only one. */
  async function refused(hasGoodAnswer: boolean) {
    const kept: ConversationState[] = [];
    const save = (state: ConversationState) => void kept.push(stored(state));
    const relay = agent({ url: liar.url, save });
    const conversation = await relay.ask({ question: 'May I?' });
    const request = await human().request(conversation.requestId);
    if (!hasGoodAnswer) await request.answer('Unseen.');
    const alter = (message: Json) => Object.assign(blobOf(message), { tag: flip(blobOf(message).tag) });
    const lie = hasGoodAnswer
      ? aboutSecondOf('provider', alter)
      : inList((messages) => {
          for (const message of messages) alter(message);
        });
    if (hasGoodAnswer) for (const text of ['Good.', 'Unseen.']) await request.answer(text);
    liar.tell(lie);
    return { conversation, lie, latest: () => kept.at(-1) ?? conversation.export() };
  }

  test.each([true, false])(
    'ends with the process, whether a good answer came before it or not (%s)',
    async (hasGoodAnswer) => {
      const { conversation, latest } = await refused(hasGoodAnswer);
      if (hasGoodAnswer) expect((await conversation.waitForAnswer(patiently)).text).toBe('Good.');
      await expect(conversation.waitForAnswer(patiently)).rejects.toMatchObject({ code: 'wrong_signature' });
      liar.tell({});
      await expect(conversation.refresh()).rejects.toMatchObject({ code: 'wrong_signature' });
      for (const state of [latest(), conversation.export()]) {
        const again = await agent().resume(stored(state));
        const texts = [(await again.waitForAnswer(patiently)).text];
        if (texts[0] === 'Good.') texts.push((await again.waitForAnswer(patiently)).text);
        expect(texts.at(-1)).toBe('Unseen.');
      }
    },
  );

  test('lets nothing go out: no text that may be on its way, and none after a restart before a look', async () => {
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
    await expect(conversation.send('One.')).rejects.toMatchObject({ code: 'unreachable' });
    expect(conversation.unsent).toEqual(['One.']);
    const state = stored(conversation.export());
    await (await human().request(conversation.requestId)).answer('Altered.');
    posts = 0;
    const alter = inList((messages) => {
      for (const message of messages) Object.assign(message, { signature: flip(message.signature) });
    });
    liar.tell({ ...alter, swallow: count });
    await expect(conversation.refresh()).rejects.toMatchObject({ code: 'wrong_signature' });
    // The answers that came before are handed out.
    expect((await conversation.waitForAnswer({ any: true })).text).toBe('Good.');
    const again = await agent({ url: liar.url }).resume(state);
    await expect(again.send('Two.')).rejects.toMatchObject({ code: 'wrong_signature' });
    expect((await again.waitForAnswer({ any: true })).text).toBe('Good.');
    expect(posts).toBe(0);
    liar.tell(lie);
  });
});

test('an answer that the relay did not take is not missed by the next client of the expert', async () => {
  const memory = createMemory();
  const conversation = await agent().ask({ question: 'May I?' });
  const request = await human({ url: liar.url, memory }).request(conversation.requestId);
  await request.pickUp();
  liar.tell({
    swallow: ({ path, method }) =>
      method === 'POST' && path.includes('/message/') ? { status: 503, body: {} } : undefined,
  });
  await expect(request.answer('Lost.')).rejects.toMatchObject({ code: 'unreachable' });
  await (await human({ memory }).request(conversation.requestId)).answer('Yes.');
  expect((await conversation.waitForAnswer(patiently)).text).toBe('Yes.');
});

test('what retention has erased is called so, on both sides, and is no refusal', async () => {
  const memory = createMemory();
  const conversation = await agent().ask({ question: 'May I?' });
  const request = await human({ memory }).request(conversation.requestId);
  await request.answer('Yes.');
  expect((await conversation.waitForAnswer(patiently)).text).toBe('Yes.');
  await request.refresh();
  expect(request.erasedAt).toBeUndefined();
  const open = await agent().ask({ question: 'Still open?' });
  await conversation.close();
  const again = await agent().resume(stored(conversation.export()));
  await eventually(
    'the purge',
    async () => {
      await again.refresh();
      return again.erasedAt !== undefined;
    },
    { within: 60_000 },
  );
  await conversation.refresh();
  await request.refresh();
  for (const erased of [
    conversation,
    again,
    request,
    await human({ memory }).request(conversation.requestId),
  ]) {
    expect(erased).toMatchObject({ status: 'closed', erasedAt: expect.stringMatching(/^\d{4}-.*Z$/) });
  }
  await expect(again.waitForAnswer()).rejects.toMatchObject({ code: 'conversation_closed' });
  await expect(again.send('More?')).rejects.toMatchObject({ code: 'conversation_closed' });
  await expect(request.answer('More.')).rejects.toMatchObject({ code: 'conversation_closed' });
  await open.refresh();
  expect(open.erasedAt).toBeUndefined();
});

test('a reference code that leads the expert to another request is noticed by the agent of that request', async () => {
  const [asked, other] = [
    await agent().ask({ question: 'May I delete the test database?' }),
    await agent().ask({ question: 'May I delete PRODUCTION?' }),
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
  const request = await human({ url: liar.url }).request(asked.refCode);
  expect(request.question).toBe('May I delete the test database?');
  await request.answer('Yes, go ahead.');
  await expect(other.waitForAnswer(patiently)).rejects.toMatchObject({ code: 'question_altered' });
  await expect(other.send('Really?')).rejects.toMatchObject({ code: 'question_altered' });
});

test.each(['before', 'after'])(
  'what one client of the expert remembers %s another looks is not held against the slower one',
  async (when) => {
    const memory = createMemory();
    const conversation = await agent().ask({ question: 'May I?' });
    const pickUp = async () => {
      const request = await human({ memory }).request(conversation.requestId);
      await request.pickUp();
      return request;
    };
    const earlier = when === 'before' ? await pickUp() : undefined;
    let letGo = () => {};
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    let begun = () => {};
    const hasBegun = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const slow: typeof fetch = async (url, init) => {
      const response = await fetch(url, init);
      begun();
      await held;
      return response;
    };
    const loading = human({ memory, fetch: slow }).request(conversation.requestId);
    await hasBegun;
    const quicker = earlier ?? (await pickUp());
    await quicker.answer('Quick.');
    await quicker.refresh();
    letGo();
    await (await loading).answer('Slow.');
    const texts = [await conversation.waitForAnswer(patiently), await conversation.waitForAnswer(patiently)];
    expect(texts.map(({ text }) => text)).toEqual(['Quick.', 'Slow.']);
  },
);
