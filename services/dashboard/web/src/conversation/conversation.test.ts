import type { Message } from '@expert-relay/sdk';
import { RelayError, type RelayErrorCode } from '@expert-relay/sdk';
import type { PendingAnswer } from '@expert-relay/sdk/expert';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { createPageStorage } from '../storage/storage.ts';
import { requestView } from '../testing/requests.ts';
import { untilPasses } from '../testing/until-passes.ts';
import { type Conversation, createConversation } from './conversation.ts';
import type { ConversationExpert, RequestHandle } from './conversation-state.ts';

/** The browser's storage. */
let kept: Map<string, string>;
let conversation: Conversation;
let request: FakeRequest;
let stops: (() => void)[];
/** What the SDK's memory has for a request that cannot be opened. */
let stored: PendingAnswer | undefined;
let noted: (string | undefined)[];
let isKeyReady: boolean;
const experts = new WeakMap<() => Promise<FakeRequest>, ConversationExpert>();
beforeEach(() => {
  kept = new Map();
  stored = undefined;
  noted = [];
  isKeyReady = true;
  conversation = create();
  request = fakeRequest();
  stops = [];
});
afterEach(() => {
  for (const stop of stops) stop();
  // Then nothing is sent again.
  request.pending = [];
});

const create = (): Conversation =>
  createConversation({
    requestId: 'r1',
    storage: createPageStorage(kept),
    onUnsent: (state) => noted.at(-1) === state || noted.push(state),
    read: (expert, signal) => expert.request('r1', { signal }),
    hasNewestKey: async () => isKeyReady,
  });

type FakeRequest = ReturnType<typeof fakeRequest>;
type AnswerOptions = NonNullable<Parameters<RequestHandle['answer']>[1]>;

const decision = { action: 'accept', content: {}, of: 'f1' } as const;

/** A fake of the SDK's request with the members that conversations use. `session-expert.test.ts` of the SDK tests the real one. */
function fakeRequest() {
  const listed: (Message | Error | 'end')[] = [];
  let wake = () => {};
  const fake = {
    ...requestView,
    status: 'pending' as RequestHandle['status'],
    isPickedUp: true,
    pending: [] as PendingAnswer[],
    answered: [] as ({ text: string } & AnswerOptions)[],
    /** What becomes of an answer. */
    onAnswer: async (_messageId: string): Promise<boolean> => true,
    onRefresh: async () => {},
    list(...messages: (Message | Error | 'end')[]) {
      listed.push(...messages);
      wake();
    },
    async answer(text: string, { signal, ...options }: AnswerOptions) {
      const { messageId = '' } = options;
      fake.answered.push({ text, ...options });
      const aborted = new Promise<never>((_, reject) =>
        signal?.addEventListener('abort', () => reject(new RelayError('aborted', 'aborted'))),
      );
      return { messageId, isSent: await Promise.race([fake.onAnswer(messageId), aborted]) };
    },
    refresh: () => fake.onRefresh(),
    pickUp: async () => {
      fake.isPickedUp = true;
    },
    onDiscard: async (): Promise<readonly string[]> => fake.pending.splice(0).map(({ text }) => text),
    discard: () => fake.onDiscard(),
    close: async ({ reason }: { reason?: string | undefined } = {}) => {
      fake.status = 'closed';
      fake.closeReason = reason;
      fake.list('end');
    },
    messages: {
      async *[Symbol.asyncIterator]() {
        for (;;) {
          const next = listed.shift();
          if (next === 'end') return;
          if (next instanceof Error) throw next;
          if (next) yield next;
          else await new Promise<void>((resolve) => (wake = resolve));
        }
      },
    },
  };
  return fake;
}

const message = (text: string, from: Message['from'] = 'agent', messageId = text): Message => ({
  from,
  text,
  messageId,
  createdAt: '2026-11-21T09:01:00.000Z',
  protection: 'sequenced',
});

const now = () => conversation.state.get();
const texts = () => now().messages.map(({ text }) => text);
/** The answers of this page: those that the relay has, and the one that waits. */
const answers = () => [
  ...now().sent.map(({ text }) => [text, 'sent']),
  ...[now().pending ?? []].flat().map(({ text, state, code }) => [text, state, ...(code ? [code] : [])]),
];
/** The SDK stores an answer, and does not send it. */
const keep =
  (state: PendingAnswer['state'], code: RelayErrorCode = 'unavailable', text = 'Yes.') =>
  async (messageId: string): Promise<boolean> => {
    request.pending = [{ messageId, text, state, ...(state === 'refused' && { code }) }];
    throw new RelayError(code, code);
  };

/** Each way to read the request is an expert with a key of its own. */
function follow(reading: () => Promise<FakeRequest>): () => void {
  const expert = experts.get(reading) ?? {
    request: reading,
    pendingAnswer: async () => stored,
    removePendingAnswer: async () => {
      stored = undefined;
    },
  };
  experts.set(reading, expert);
  const stop = conversation.follow(expert);
  stops.push(stop);
  return stop;
}

async function open(opened: FakeRequest = request) {
  const stop = follow(async () => opened);
  await untilPasses(() => expect(now().request).toBeDefined());
  return stop;
}

test('stored messages are shown together, and new ones when they arrive', async () => {
  request.list(message('one'), message('two'));
  const shown: number[] = [];
  conversation.state.subscribe(() => shown.push(now().messages.length));
  await open();
  expect(now().request?.refCode).toBe('HS-7KQ2M9XD');
  expect(texts()).toEqual(['one', 'two']);
  expect(new Set(shown.filter((count) => count > 0))).toEqual(new Set([2]));
  request.list(message('three'));
  await untilPasses(() => expect(texts()).toEqual(['one', 'two', 'three']));
});

test('a conversation that is left and opened again shows each message once', async () => {
  request.list(message('one'));
  const opening = async () => request;
  const stop = follow(opening);
  await untilPasses(() => expect(texts()).toEqual(['one']));
  stop();
  follow(opening);
  request.list(message('two'));
  await untilPasses(() => expect(texts()).toEqual(['one', 'two']));
});

test('a conversation that is left before it is open and followed again sends an answer once and shows every message', async () => {
  const opens: ((opened: FakeRequest) => void)[] = [];
  const opening = () => new Promise<FakeRequest>((resolve) => opens.push(resolve));
  const stop = follow(opening);
  await untilPasses(() => expect(opens).toHaveLength(1));
  const sending = conversation.send({ text: 'Yes.' });
  await new Promise((resolve) => setTimeout(resolve));
  stop();
  follow(opening);
  await untilPasses(() => expect(opens).toHaveLength(2));
  request.list(message('one'), message('two'));
  for (const resolve of opens) resolve(request);
  await sending;
  expect(request.answered).toHaveLength(1);
  await untilPasses(() => expect(texts()).toEqual(['one', 'two']));
});

test('with another expert key it is read again, and its messages stay until then', async () => {
  request.list(message('one'));
  (await open())();
  const other = fakeRequest();
  other.list(message('one'), message('encrypted'));
  const seen: string[][] = [];
  conversation.state.subscribe(() => seen.push(texts()));
  follow(async () => other);
  await untilPasses(() => expect(texts()).toEqual(['one', 'encrypted']));
  expect(seen.map(({ length }) => length)).not.toContain(0);
});

test('after a failure it can be read again', async () => {
  let hasFailed = false;
  follow(async () => {
    if (hasFailed) return request;
    hasFailed = true;
    throw new RelayError('not_found', 'no');
  });
  await untilPasses(() => expect(now().failure).toBe('not_found'));
  conversation.retry();
  await untilPasses(() => expect(now().request).toBeDefined());
  expect(now().failure).toBeUndefined();
});

test('it is opened at once each time that another tab has changed the answer that waits', async () => {
  const opened: FakeRequest[] = [];
  follow(async () => {
    opened.push(fakeRequest());
    return opened.at(-1) as FakeRequest;
  });
  await untilPasses(() => expect(now().request).toBeDefined());
  const timers = jest.spyOn(globalThis, 'setTimeout');
  for (const text of ['Once.', 'Twice.']) {
    conversation.readAgain();
    opened.at(-1)?.list('end');
    await conversation.send({ text });
  }
  expect(opened).toHaveLength(3);
  expect(timers.mock.calls.filter(([, delayMs = 0]) => delayMs >= 1_000)).toEqual([]);
  timers.mockRestore();
});

test('after a successful opening, the next retry has the shortest delay', async () => {
  const timers = jest.spyOn(globalThis, 'setTimeout');
  const delays = () => timers.mock.calls.flatMap(([, delayMs = 0]) => (delayMs >= 2_000 ? delayMs : []));
  let isDown = true;
  follow(async () => {
    if (isDown) throw new RelayError('unreachable', 'unreachable');
    return request;
  });
  await untilPasses(() => expect(delays()).toEqual([2_000]));
  isDown = false;
  await untilPasses(() => expect(now().request).toBeDefined());
  request.list(new RelayError('unreachable', 'unreachable'));
  await untilPasses(() => expect(delays()).toEqual([2_000, 2_000]));
  timers.mockRestore();
});

test('a refusal keeps the messages, and ends when the conversation is read again without an error', async () => {
  request.list(message('one'), new RelayError('message_missing', 'no'));
  const later = fakeRequest();
  later.list(message('one'), message('two'));
  const requests = [request, later];
  follow(async () => requests.shift() ?? later);
  await untilPasses(() => expect(now().refusal).toBe('untrusted'));
  expect(texts()).toEqual(['one']);
  // Another tab has sent an answer.
  conversation.readAgain();
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(now().refusal).toBe('untrusted');
  conversation.retry();
  await untilPasses(() => expect(texts()).toEqual(['one', 'two']));
  expect(now().refusal).toBeUndefined();
});

test('messages that need the expert key wait for it', async () => {
  request.list(new RelayError('no_keys_yet', 'no'));
  await open();
  await untilPasses(() => expect(now().needsKey).toBe(true));
  expect(now().failure).toBeUndefined();
});

describe('an answer', () => {
  test('is sending, then sent, then in the list', async () => {
    await open();
    let finish = (_: boolean) => {};
    request.onAnswer = () => new Promise((resolve) => (finish = resolve));
    const sending = conversation.send({ text: 'Yes.' });
    await untilPasses(() => expect(answers()).toEqual([['Yes.', 'sending']]));
    await untilPasses(() => expect(request.answered).toHaveLength(1));
    const [{ messageId = '', ...sent } = { messageId: '' }] = request.answered;
    expect(sent).toEqual({ text: 'Yes.', plaintext: false, withoutParts: true, shown: [] });
    finish(true);
    await sending;
    expect(answers()).toEqual([['Yes.', 'sent']]);
    request.list(message('Yes.', 'expert', messageId));
    await untilPasses(() => expect(answers()).toEqual([]));
    expect(texts()).toEqual(['Yes.']);
    // No other tab need know.
    expect(noted).toEqual(['sending', undefined]);
  });

  test('that the list has before its call has returned is shown once', async () => {
    await open();
    let finish = (_: boolean) => {};
    request.onAnswer = () => new Promise((resolve) => (finish = resolve));
    const sending = conversation.send({ text: 'Yes.' });
    await untilPasses(() => expect(request.answered).toHaveLength(1));
    request.list(message('Yes.', 'expert', request.answered[0]?.messageId));
    await untilPasses(() => expect(texts()).toEqual(['Yes.']));
    expect(answers()).toEqual([]);
    finish(true);
    await sending;
    expect(answers()).toEqual([]);
  });

  test('to a request without keys, and no other, is sent as plain text', async () => {
    request.encrypted = false;
    await open();
    await conversation.send({ text: 'Yes.' });
    expect(request.answered).toMatchObject([{ text: 'Yes.', plaintext: true }]);
  });

  test('to an encrypted request that is not picked up is given back if the key was replaced, and never plain text', async () => {
    request.isPickedUp = false;
    await open();
    await conversation.send({ text: 'Yes.' });
    expect(request.answered.splice(0)).toMatchObject([{ text: 'Yes.', plaintext: false }]);
    isKeyReady = false;
    await expect(conversation.send({ text: 'No.' })).rejects.toMatchObject({ code: 'no_keys_yet' });
    expect(now().notTaken).toBe('no_keys_yet');
    expect(answers()).toEqual([['Yes.', 'sent']]);
    expect(request.answered).toEqual([]);
  });

  test('waits for its turn behind another one', async () => {
    await open();
    const finish: (() => void)[] = [];
    request.onAnswer = () => new Promise((resolve) => finish.push(() => resolve(true)));
    const sending = [conversation.send({ text: 'One.' }), conversation.send({ text: 'Two.' })];
    await untilPasses(() => expect(finish).toHaveLength(1));
    expect(answers()).toEqual([['One.', 'sending']]);
    finish[0]?.();
    await untilPasses(() => expect(finish).toHaveLength(2));
    expect(answers()).toEqual([
      ['One.', 'sent'],
      ['Two.', 'sending'],
    ]);
    finish[1]?.();
    await Promise.all(sending);
  });

  test('is given back where the one before it was not sent', async () => {
    await open();
    request.onAnswer = keep('waiting');
    const sending = conversation.send({ text: 'Yes.' });
    await expect(conversation.send({ text: 'Two.' })).rejects.toMatchObject({ code: 'conflict' });
    await sending;
    expect(answers()).toEqual([['Yes.', 'waiting']]);
  });

  test('is given back if the SDK did not store it, and the request is opened again if another tab has one', async () => {
    let opens = 0;
    follow(async () => {
      opens += 1;
      return request;
    });
    await untilPasses(() => expect(now().request).toBeDefined());
    request.onAnswer = () => Promise.reject(new RelayError('conflict', 'another tab'));
    await expect(conversation.send({ text: 'Yes.' })).rejects.toMatchObject({ code: 'conflict' });
    request.list('end');
    await untilPasses(() => expect(opens).toBe(2));
    expect(now().notTaken).toBe('conflict');
    request.onAnswer = async () => true;
    await conversation.send({ text: 'Yes.' });
    expect(now().notTaken).toBeUndefined();
  });

  test('with a decision is given back when opening its request took longer than a minute', async () => {
    const later = fakeRequest();
    let finish = () => {};
    const requests = [
      Promise.resolve(request),
      new Promise<FakeRequest>((resolve) => (finish = () => resolve(later))),
    ];
    follow(() => requests.shift() ?? Promise.resolve(later));
    await untilPasses(() => expect(now().request).toBeDefined());
    conversation.readAgain();
    request.list('end');
    const sending = conversation.send({ text: '', answer: decision }).catch(({ code }) => code);
    await new Promise((resolve) => setTimeout(resolve, 20));
    const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 61_000);
    finish();
    expect(await sending).toBe('timeout');
    clock.mockRestore();
    expect([...request.answered, ...later.answered]).toEqual([]);
  });
});

describe('an answer that was not sent', () => {
  test('is sent again automatically, and the list shows both states', async () => {
    const timers = jest.spyOn(globalThis, 'setTimeout');
    await open();
    request.onAnswer = keep('waiting');
    await conversation.send({ text: 'Yes.' });
    expect(answers()).toEqual([['Yes.', 'waiting']]);
    expect(noted.at(-1)).toBe('unsent');
    request.onRefresh = async () => void request.pending.splice(0);
    const [retry] = timers.mock.calls.findLast(([, delayMs]) => delayMs === 2_000) ?? [];
    timers.mockRestore();
    (retry as () => void)();
    await untilPasses(() => expect(answers()).toEqual([]));
    expect(noted.at(-1)).toBeUndefined();
  });

  test.each([
    ['waiting', 'waiting', undefined, {}],
    ['held', 'held', 'newer_message', { evenIfNewer: true }],
    ['refused', 'refused', 'too_large', { evenIfNewer: false }],
  ] as const)('is sent again by the expert, under its id: %s', async (_, state, code, options) => {
    await open();
    request.onAnswer = keep(state, code);
    await conversation.send({ text: 'Yes.' });
    expect(answers()[0]?.slice(0, 2)).toEqual(['Yes.', state]);
    const [first] = request.answered;
    request.onAnswer = async () => request.pending.splice(0).length > 0;
    request.onRefresh = async () => void request.pending.splice(0);
    await conversation.sendAgain();
    expect(request.pending).toEqual([]);
    if (state === 'waiting') return expect(request.answered).toHaveLength(1);
    expect(request.answered.at(-1)).toMatchObject({ messageId: first?.messageId, ...options });
    expect(answers()).toEqual([['Yes.', 'sent']]);
  });

  test('is sent again while its call is under way, as it was written', async () => {
    await open();
    request.onAnswer = () => new Promise(() => {});
    const sending = conversation.send({ text: 'Yes.' });
    await untilPasses(() => expect(request.answered).toHaveLength(1));
    request.onAnswer = async () => true;
    await conversation.sendAgain();
    await sending;
    const [first, second] = request.answered;
    expect(second).toEqual(first);
    expect(answers()).toEqual([['Yes.', 'sent']]);
  });

  test('stands there again after a reload, and in another tab', async () => {
    request.pending = [{ messageId: 'm1', text: 'Yes.', state: 'held' }];
    await open();
    await untilPasses(() => expect(answers()).toEqual([['Yes.', 'held']]));
    request.pending = [];
    const later = fakeRequest();
    follow(async () => later);
    await untilPasses(() => expect(answers()).toEqual([]));
  });

  test('is removed, unless the relay has it or the list cannot be read', async () => {
    request.pending = [{ messageId: 'm1', text: 'Yes.', state: 'waiting' }];
    await open();
    await untilPasses(() => expect(answers()).toHaveLength(1));
    const { onDiscard } = request;
    request.onDiscard = () => Promise.reject(new RelayError('unreachable', 'away'));
    await expect(conversation.remove()).rejects.toMatchObject({ reason: 'unreachable' });
    expect(answers()).toEqual([['Yes.', 'waiting']]);
    request.onDiscard = onDiscard;
    expect(await conversation.remove()).toBe(true);
    expect(answers()).toEqual([]);
    request.pending = [{ messageId: 'm2', text: 'No.', state: 'waiting' }];
    request.list(message('more'));
    await untilPasses(() => expect(answers()).toHaveLength(1));
    request.onDiscard = async () => {
      request.pending = [];
      return [];
    };
    expect(await conversation.remove()).toBe(false);
  });

  test('is removed while its call is under way, or its request is being opened', async () => {
    await open();
    request.onAnswer = () => new Promise(() => {});
    const sending = conversation.send({ text: 'Yes.' });
    await untilPasses(() => expect(request.answered).toHaveLength(1));
    expect(await conversation.remove()).toBe(true);
    await sending;
    expect(answers()).toEqual([]);
    follow(() => new Promise(() => {}));
    const opening = conversation.send({ text: 'Yes.' });
    await untilPasses(() => expect(answers()).toEqual([['Yes.', 'sending']]));
    expect(await conversation.remove()).toBe(true);
    await opening;
    expect(answers()).toEqual([]);
  });

  test('of a request that is gone is shown, and removed from the storage', async () => {
    stored = { messageId: 'm1', text: 'Yes.', state: 'held' };
    follow(() => Promise.reject(new RelayError('not_found', 'gone')));
    await untilPasses(() => expect(answers()).toEqual([['Yes.', 'refused', 'not_found']]));
    expect(await conversation.remove()).toBe(true);
    expect([answers(), stored]).toEqual([[], undefined]);
    expect(noted.at(-1)).toBeUndefined();
  });
});

test('a pick-up right after the key was made uses that key', async () => {
  const locked = fakeRequest();
  locked.isPickedUp = false;
  (await open(locked))();
  request.isPickedUp = false;
  // Components call this before `follow` is called with the new key.
  const picking = conversation.pickUp();
  follow(async () => request);
  await picking;
  expect(locked.isPickedUp).toBe(false);
  expect(request.isPickedUp).toBe(true);
  await untilPasses(() => expect(now().request?.isPickedUp).toBe(true));
});

test('a conversation is closed with its reason, or without one', async () => {
  for (const reason of ['It is gone.', undefined]) {
    conversation = create();
    await open();
    await conversation.close(reason);
    expect(now().request).toMatchObject({ status: 'closed', closeReason: reason });
  }
});

test('an answer names the messages that the expert had been shown when it was written', async () => {
  request.list(message('one'), message('two'));
  await open();
  await untilPasses(() => expect(texts()).toEqual(['one', 'two']));
  conversation.markShown('one');
  const sending = conversation.send({ text: 'Yes.' });
  conversation.markShown('two');
  await sending;
  expect(request.answered).toMatchObject([{ shown: ['one'] }]);
  // Also after a reload.
  await untilPasses(() => expect(kept.get('shown-texts:r1')).toContain('two'));
  conversation = create();
  await open();
  expect(now().shown).toEqual(new Set(['one', 'two']));
});
