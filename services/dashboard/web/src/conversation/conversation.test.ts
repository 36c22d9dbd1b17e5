import { RelayError, type RelayErrorCode } from '@expert-relay/sdk';
import type { ExpertMessage } from '@expert-relay/sdk/expert';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { createPageStorage } from '../storage/storage.ts';
import { provideLocks } from '../testing/provide-locks.ts';
import { requestView } from '../testing/requests.ts';
import { untilPasses } from '../testing/until-passes.ts';
import { type Conversation, createConversation } from './conversation.ts';
import type { OpenRequest } from './conversation-state.ts';

provideLocks();

/** The browser's storage. */
let kept: Map<string, string>;
let conversation: Conversation;
let request: FakeRequest;
let stops: (() => void)[];
beforeEach(() => {
  kept = new Map();
  conversation = create();
  request = fakeRequest();
  stops = [];
});
afterEach(() => {
  for (const stop of stops) stop();
});

const create = (onAnswers = () => {}): Conversation =>
  createConversation({ requestId: 'r1', storage: createPageStorage(kept), onAnswers });

type FakeRequest = ReturnType<typeof fakeRequest>;

const decision = { action: 'accept', content: {}, of: 'f1', decidedAt: '2026-11-27T09:00:00Z' } as const;

/** A fake of the SDK's request with the members that conversations use. */
function fakeRequest() {
  const listed: (ExpertMessage | Error | 'end')[] = [];
  let wake = () => {};
  const unsent: string[] = [];
  /** The ids of their messages. */
  const ids: string[] = [];
  let count = 0;
  const fake = {
    ...requestView,
    status: 'pending' as OpenRequest['status'],
    isPickedUp: true,
    unsent,
    held: [] as string[],
    taken: new Map<string, typeof decision>(),
    get unsentAnswers(): OpenRequest['unsentAnswers'] {
      ids.splice(unsent.length);
      return unsent.map((text, at) => {
        const answer = fake.taken.get(text);
        ids[at] ??= `${text} ${count++}`;
        const messageId = ids[at];
        return { messageId, text, isHeld: fake.held.includes(text), ...(answer && { answer }) };
      });
    },
    /** The SDK sends what waits. */
    sendWaiting() {
      const sent = fake.unsentAnswers.filter(({ isHeld }) => !isHeld);
      fake.remove(sent.map(({ messageId }) => messageId));
      for (const { text, messageId } of sent) fake.list(message(text, 'provider', messageId));
    },
    /** The texts with these ids are removed. */
    remove(messageIds?: readonly string[]) {
      const gone = fake.unsentAnswers.map(({ messageId }) => !messageIds || messageIds.includes(messageId));
      const left = unsent.filter((_, at) => !gone[at]);
      unsent.splice(0, unsent.length, ...left);
      ids.splice(0, ids.length, ...ids.filter((_, at) => !gone[at]));
      return [];
    },
    /** What `answer` and `refresh` do. */
    onAnswer: async (_text: string): Promise<{ messageId: string; isSent: boolean }> => ({
      messageId: 'm1',
      isSent: true,
    }),
    onRefresh: async () => {},
    answered: [] as unknown[],
    list(...messages: (ExpertMessage | Error | 'end')[]) {
      listed.push(...messages);
      wake();
    },
    async answer(text: string, options: object) {
      fake.answered.push({ text, ...options });
      return fake.onAnswer(text);
    },
    refresh: () => fake.onRefresh(),
    pickUp: async () => {
      fake.isPickedUp = true;
    },
    onDiscard: async (messageIds?: readonly string[]): Promise<readonly string[]> => fake.remove(messageIds),
    discard: (messageIds?: readonly string[]) => fake.onDiscard(messageIds),
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

const message = (
  text: string,
  role: ExpertMessage['role'] = 'consumer',
  messageId = text,
): ExpertMessage => ({
  role,
  text,
  messageId,
  createdAt: '2026-11-21T09:01:00.000Z',
  protection: 'sequenced',
});

const now = () => conversation.state.get();
const texts = () => now().messages.map(({ text }) => text);
const deliveries = () => now().answers.map(({ text, delivery, code }) => [text, delivery, code ?? '']);
const fails = (code: RelayErrorCode) => async () => {
  throw new RelayError(code, code);
};
/** The error of a call that the relay has refused. */
const refusal = (code: RelayErrorCode) => new RelayError(code, code, { status: 400 });

function follow(opening: () => Promise<FakeRequest>): () => void {
  const stop = conversation.follow(opening);
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
  conversation.readAgain();
  await untilPasses(() => expect(now().request).toBeDefined());
  expect(now().failure).toBeUndefined();
});

test('it is opened at once each time that another tab has changed the answers', async () => {
  const opened: FakeRequest[] = [];
  follow(async () => {
    opened.push(fakeRequest());
    return opened.at(-1) as FakeRequest;
  });
  await untilPasses(() => expect(now().request).toBeDefined());
  const timers = jest.spyOn(globalThis, 'setTimeout');
  for (const text of ['Once.', 'Twice.']) {
    conversation.reopen();
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
  await untilPasses(() => expect(now().refusal).toBe('message_missing'));
  expect(texts()).toEqual(['one']);
  conversation.readAgain();
  await untilPasses(() => expect(texts()).toEqual(['one', 'two']));
  expect(now().refusal).toBeUndefined();
});

test('messages that need the expert key wait for it', async () => {
  request.list(new RelayError('no_keys_yet', 'no'));
  await open();
  await untilPasses(() => expect(now().needsKey).toBe(true));
  expect(now().failure).toBeUndefined();
});

test('an answer is sending, then sent, then in the list', async () => {
  await open();
  let finish = (_: { messageId: string; isSent: boolean }) => {};
  request.onAnswer = () => new Promise((resolve) => (finish = resolve));
  const sending = conversation.send({ text: 'Yes.' });
  expect(deliveries()).toEqual([['Yes.', 'sending', '']]);
  await untilPasses(() =>
    expect(request.answered).toEqual([{ text: 'Yes.', plaintext: false, withoutParts: true, shown: [] }]),
  );
  finish({ messageId: 'm7', isSent: true });
  await sending;
  expect(deliveries()).toEqual([['Yes.', 'sent', '']]);
  request.list(message('Yes.', 'provider', 'm7'));
  await untilPasses(() => expect(deliveries()).toEqual([]));
  expect(texts()).toEqual(['Yes.']);
});

test('an answer that the list has before its call has returned is shown once', async () => {
  await open();
  let finish = (_: { messageId: string; isSent: boolean }) => {};
  request.onAnswer = () => new Promise((resolve) => (finish = resolve));
  request.unsent.push('Yes.');
  const sending = conversation.send({ text: 'Yes.' });
  await untilPasses(() => expect(request.answered).toHaveLength(1));
  request.unsent.pop();
  request.list(message('Yes.', 'provider', 'm7'));
  await untilPasses(() => expect(texts()).toEqual(['Yes.']));
  expect(deliveries()).toEqual([]);
  finish({ messageId: 'm7', isSent: true });
  await sending;
  expect(deliveries()).toEqual([]);
});

test('only an answer to a request without keys is sent as plain text', async () => {
  request.encrypted = false;
  await open();
  await conversation.send({ text: 'Yes.' });
  expect(request.answered).toEqual([{ text: 'Yes.', plaintext: true, withoutParts: true, shown: [] }]);
});

test('an answer to an encrypted request that is not picked up is refused, and not sent as plain text', async () => {
  request.isPickedUp = false;
  await open();
  await conversation.send({ text: 'Yes.' });
  expect(deliveries()).toEqual([['Yes.', 'refused', 'no_keys_yet']]);
  expect(request.answered).toEqual([]);
});

test('a second answer waits behind the first', async () => {
  await open();
  const finish: (() => void)[] = [];
  request.onAnswer = (text) =>
    new Promise((resolve) => finish.push(() => resolve({ messageId: text, isSent: true })));
  void conversation.send({ text: 'One.' });
  void conversation.send({ text: 'Two.' });
  expect(deliveries()).toEqual([
    ['One.', 'sending', ''],
    ['Two.', 'waiting', ''],
  ]);
  await untilPasses(() => expect(finish).toHaveLength(2));
  finish[0]?.();
  await untilPasses(() =>
    expect(deliveries()).toEqual([
      ['One.', 'sent', ''],
      ['Two.', 'sending', ''],
    ]),
  );
});

test('an answer that the SDK keeps waits, and is sent automatically', async () => {
  await open();
  request.onAnswer = async (text) => {
    request.unsent.push(text);
    throw new RelayError('unreachable', 'away');
  };
  await conversation.send({ text: 'Yes.' });
  expect(deliveries()).toEqual([['Yes.', 'waiting', '']]);
  request.onRefresh = async () => void request.unsent.splice(0);
  await untilPasses(() => expect(deliveries()).toEqual([['Yes.', 'sending', '']]));
  request.list(message('Yes.', 'provider', 'Yes. 0'));
  await untilPasses(() => expect(deliveries()).toEqual([]));
});

test('an answer that another tab has discarded is not shown as sent', async () => {
  await open();
  await sendWhileAway('Yes.');
  request.unsent.splice(0);
  await untilPasses(() => expect(deliveries()).not.toEqual([['Yes.', 'waiting', '']]));
  expect(deliveries()).toEqual([['Yes.', 'sending', '']]);
});

test('a refused answer is kept with its reason, also after the page is loaded again', async () => {
  await open();
  request.onAnswer = fails('message_too_large');
  await conversation.send({ text: 'Long.' });
  expect(deliveries()).toEqual([['Long.', 'refused', 'message_too_large']]);
  conversation = create();
  request = fakeRequest();
  await open();
  expect(deliveries()).toEqual([['Long.', 'refused', 'message_too_large']]);
  const [answer] = now().answers;
  if (answer) await conversation.sendAgain(answer);
  expect(deliveries()).toEqual([['Long.', 'sent', '']]);
  conversation = create();
  await open(fakeRequest());
  expect(deliveries()).toEqual([]);
});

test('answers from before the page was loaded are shown, and are refused when the conversation ends', async () => {
  request.unsent.push('Half sent.');
  const stop = await open();
  expect(deliveries()).toEqual([['Half sent.', 'waiting', '']]);
  request.status = 'closed';
  request.list('end');
  const refused = [['Half sent.', 'refused', 'conversation_closed']];
  await untilPasses(() => expect(deliveries()).toEqual(refused));
  stop();
  await open();
  expect(deliveries()).toEqual(refused);
  const [answer] = now().answers;
  if (answer) await conversation.discard(answer);
  expect(deliveries()).toEqual([]);
  expect(request.unsent).toEqual([]);
});

/** An answer that waits, since the relay cannot be reached. */
async function sendWhileAway(text: string): Promise<void> {
  request.onAnswer = async () => {
    request.unsent.push(text);
    throw new RelayError('unreachable', 'away');
  };
  await conversation.send({ text: text });
}

test('a waiting answer that the relay refuses permanently can be removed, and the answer behind it is sent', async () => {
  await open();
  await sendWhileAway('Refused.');
  await sendWhileAway('Next.');
  request.onRefresh = async () => {
    if (request.unsent.includes('Refused.')) throw refusal('invalid_input');
    request.sendWaiting();
  };
  await untilPasses(() => expect(texts()).toEqual(['Next.']));
  expect(deliveries()).toEqual([['Refused.', 'refused', 'invalid_input']]);
  expect(request.unsent).toEqual([]);
  expect(kept.get('refused:r1')).toContain('Refused.');
  // The SDK has sent the other one: it was not given it again.
  expect(request.answered).toHaveLength(2);
  const [answer] = now().answers;
  if (answer) await conversation.discard(answer);
  expect(deliveries()).toEqual([]);
  expect(kept.get('refused:r1')).toBe('[]');
});

test('an answer that the SDK refuses changes nothing for one that waits', async () => {
  await open();
  await sendWhileAway('Waits.');
  request.onAnswer = fails('message_too_large');
  await conversation.send({ text: 'Long.' });
  expect(deliveries()).toEqual([
    ['Waits.', 'waiting', ''],
    ['Long.', 'refused', 'message_too_large'],
  ]);
  request.unsent.splice(0);
  await untilPasses(() => expect(deliveries()[0]).toEqual(['Waits.', 'sending', '']));
});

test('the error may also come while messages are read', async () => {
  await open();
  await sendWhileAway('Refused.');
  request.list(refusal('message_too_large'));
  await untilPasses(() => expect(deliveries()).toEqual([['Refused.', 'refused', 'message_too_large']]));
  expect(request.unsent).toEqual([]);
});

test('an encrypted answer that the relay refuses waits until the request is opened again, and can then be removed', async () => {
  const later = fakeRequest();
  later.unsent.push('Refused.');
  const requests = [request, later];
  let opened = 0;
  follow(async () => requests[opened++] ?? later);
  await untilPasses(() => expect(now().request).toBeDefined());
  request.onDiscard = async () => [];
  await sendWhileAway('Refused.');
  const shown: unknown[] = [];
  conversation.state.subscribe(() => {
    const last = deliveries().map(([, delivery]) => delivery);
    if (JSON.stringify(last) !== JSON.stringify(shown.at(-1))) shown.push(last);
    // An expert may remove it as soon as that is offered.
    const [answer] = now().answers;
    if (answer?.delivery === 'refused') void conversation.discard(answer);
  });
  request.list(refusal('conflict'));
  await untilPasses(() => expect(shown).toEqual([['waiting'], ['refused'], []]));
  expect(later.unsent).toEqual([]);
  expect(opened).toBe(2);
  // It does not come back.
  conversation = create();
  await open(later);
  expect(deliveries()).toEqual([]);
});

test('two equal answers of which the relay refuses the first: one can be removed, the other is sent', async () => {
  const later = fakeRequest();
  later.unsent.push('Yes.', 'Yes.');
  later.onRefresh = async () => later.sendWaiting();
  const requests = [request, later];
  follow(async () => requests.shift() ?? later);
  await untilPasses(() => expect(now().request).toBeDefined());
  await sendWhileAway('Yes.');
  await sendWhileAway('Yes.');
  // The first one is encrypted already.
  request.onDiscard = async () => [];
  request.list(refusal('conflict'));
  await untilPasses(() => expect(texts()).toEqual(['Yes.']));
  expect(deliveries()).toEqual([['Yes.', 'refused', 'conflict']]);
  expect(later.answered).toEqual([]);
});

test('answers that the browser cannot delete are not sent a second time', async () => {
  const later = fakeRequest();
  const requests = [request, later];
  follow(async () => requests.shift() ?? later);
  await untilPasses(() => expect(now().request).toBeDefined());
  await sendWhileAway('Refused.');
  await sendWhileAway('Next.');
  later.unsent.push('Refused.', 'Next.');
  later.onRefresh = async () => later.sendWaiting();
  request.onDiscard = () => Promise.reject(new Error('The disk is full.'));
  request.list(refusal('invalid_input'));
  await untilPasses(() => expect(texts()).toEqual(['Next.']));
  expect(deliveries()).toEqual([['Refused.', 'refused', 'invalid_input']]);
  expect(request.answered).toHaveLength(2);
  expect(later.answered).toEqual([]);
});

test('an answer that is removed while the SDK is sending it is not sent later, also after a reload', async () => {
  await open();
  await sendWhileAway('Tried.');
  // The SDK keeps what it may have sent.
  request.onDiscard = async () => [];
  const [answer] = now().answers;
  if (answer) await conversation.discard(answer);
  expect(deliveries()).toEqual([]);
  conversation = create();
  const later = fakeRequest();
  later.unsent.push('Tried.', 'Other.');
  await open(later);
  await untilPasses(() => expect(later.unsent).toEqual(['Other.']));
  expect(deliveries()).toEqual([['Other.', 'waiting', '']]);
  later.unsent.splice(0);
});

test('an answer that the browser cannot store stays with the SDK, which has it after a reload', async () => {
  const storage = createPageStorage(kept);
  conversation = createConversation({
    requestId: 'r1',
    storage: { ...storage, change: () => Promise.reject(new Error('The disk is full.')) },
  });
  await open();
  await sendWhileAway('Refused.');
  let reads = 0;
  request.onRefresh = async () => {
    reads += 1;
    throw refusal('invalid_input');
  };
  request.list(refusal('invalid_input'));
  await untilPasses(() => expect(reads).toBeGreaterThan(0));
  expect(deliveries()).toEqual([['Refused.', 'waiting', '']]);
  expect(request.unsent).toEqual(['Refused.']);
  // Retries end.
  await conversation.close();
});

describe('a held answer stays held when the relay refuses another one permanently', () => {
  /** One answer waits, and one is held. */
  async function sendBoth(): Promise<void> {
    await sendWhileAway('First.');
    request.held.push('Typed for ten minutes.');
    request.onAnswer = async (text) => {
      request.unsent.push(text);
      throw new RelayError('newer_message', 'newer');
    };
    await conversation.send({ text: 'Typed for ten minutes.' });
    expect(deliveries()).toEqual([
      ['First.', 'waiting', ''],
      ['Typed for ten minutes.', 'held', ''],
    ]);
  }
  const refused = [
    ['First.', 'refused', 'conflict'],
    ['Typed for ten minutes.', 'held', ''],
  ];

  test('and the other tabs learn of it', async () => {
    let reports = 0;
    conversation = create(() => {
      reports += 1;
    });
    await open();
    await sendBoth();
    reports = 0;
    request.onRefresh = async () => {
      if (request.unsent.includes('First.')) throw refusal('conflict');
    };
    await untilPasses(() => expect(deliveries()).toEqual(refused));
    expect(request.unsent).toEqual(['Typed for ten minutes.']);
    // To the other tabs, which still show it as waiting.
    expect(reports).toBe(1);
    conversation = create();
    await open();
    expect(deliveries()).toEqual(refused);
  });

  test('where the refused one was encrypted already', async () => {
    const later = fakeRequest();
    later.unsent.push('First.', 'Typed for ten minutes.');
    later.held.push('Typed for ten minutes.');
    const requests = [request, later];
    follow(async () => requests.shift() ?? later);
    await untilPasses(() => expect(now().request).toBeDefined());
    await sendBoth();
    request.onDiscard = async () => [];
    request.list(refusal('conflict'));
    await untilPasses(() => expect(deliveries()).toEqual(refused));
    expect(later.unsent).toEqual(['Typed for ten minutes.']);
  });

  test('where the held one is older', async () => {
    await open();
    request.held.push('Typed for ten minutes.');
    request.unsent.push('Typed for ten minutes.');
    await untilPasses(() => expect(deliveries()).toEqual([['Typed for ten minutes.', 'held', '']]));
    await sendWhileAway('First.');
    request.list(refusal('conflict'));
    await untilPasses(() => expect(deliveries()).toEqual([refused[1], refused[0]]));
  });

  test('and stays held where nothing else waits', async () => {
    await open();
    request.held.push('Typed for ten minutes.');
    request.unsent.push('Typed for ten minutes.');
    await untilPasses(() => expect(deliveries()).toEqual([['Typed for ten minutes.', 'held', '']]));
    let discards = 0;
    request.onDiscard = async () => {
      discards += 1;
      return request.unsent.splice(0);
    };
    request.onAnswer = () => Promise.reject(refusal('conflict'));
    await conversation.send({ text: 'Refused.' });
    await new Promise((resolve) => setTimeout(resolve));
    expect(discards).toBe(0);
    expect(deliveries()).toEqual([
      ['Typed for ten minutes.', 'held', ''],
      ['Refused.', 'refused', 'conflict'],
    ]);
  });
});

test('refused answers of two tabs are all kept, and one that was removed does not come back', async () => {
  const tabs = [conversation, create()];
  const first = request;
  for (const tab of tabs) {
    conversation = tab;
    await open();
    request.onAnswer = fails('message_too_large');
    await conversation.send({ text: `Long ${tabs.indexOf(tab)}.` });
    request = fakeRequest();
  }
  // The first tab shows both when the second one reports its answers.
  conversation = tabs[0] as Conversation;
  conversation.reopen();
  first.list('end');
  await untilPasses(() =>
    expect(
      deliveries()
        .map(([text]) => text)
        .sort(),
    ).toEqual(['Long 0.', 'Long 1.']),
  );
  conversation = create();
  await open();
  expect(deliveries().map(([text]) => text)).toEqual(['Long 0.', 'Long 1.']);
  const [answer] = now().answers;
  if (answer) await conversation.discard(answer);
  conversation = create();
  await open();
  expect(deliveries().map(([text]) => text)).toEqual(['Long 1.']);
});

describe('a refused answer that two tabs show', () => {
  let tabs: [Conversation, Conversation];
  let requests: [FakeRequest, FakeRequest];
  const shownIn = (tab: Conversation) =>
    tab.state.get().answers.map(({ text, delivery }) => [text, delivery]);

  beforeEach(async () => {
    requests = [request, fakeRequest()];
    const [first, second] = requests;
    tabs = [create(() => reopenSecond()), create()];
    const reopenSecond = () => {
      tabs[1].reopen();
      second.list('end');
    };
    for (const [index, tab] of tabs.entries()) {
      conversation = tab;
      await open(requests[index]);
    }
    first.onAnswer = fails('message_too_large');
    await tabs[0].send({ text: 'Long.' });
    await untilPasses(() => expect(shownIn(tabs[1])).toEqual([['Long.', 'refused']]));
  });

  test('is gone in the other one once it was sent again', async () => {
    requests[0].onAnswer = async () => ({ messageId: 'm1', isSent: true });
    const [answer] = tabs[0].state.get().answers;
    if (answer) await tabs[0].sendAgain(answer);
    expect(shownIn(tabs[0])).toEqual([['Long.', 'sent']]);
    await untilPasses(() => expect(shownIn(tabs[1])).toEqual([]));
  });

  test('is gone in the other one once it was removed after the end', async () => {
    for (const ended of requests) {
      ended.status = 'closed';
      ended.list('end');
    }
    await untilPasses(() => expect(now().request?.status).toBe('closed'));
    const [answer] = tabs[0].state.get().answers;
    if (answer) await tabs[0].discard(answer);
    await untilPasses(() => expect(shownIn(tabs[1])).toEqual([]));
  });

  test('stays visible while it waits for the request to be opened again', async () => {
    requests[0].onAnswer = async () => ({ messageId: 'm1', isSent: true });
    const [tab] = tabs;
    const [answer] = tab.state.get().answers;
    let open: ((opened: FakeRequest) => void) | undefined;
    conversation = tab;
    follow(() => new Promise((resolve) => (open = resolve)));
    const sending = answer && tab.sendAgain(answer);
    await untilPasses(() => expect(shownIn(tab)).toEqual([['Long.', 'sending']]));
    await untilPasses(() => expect(open).toBeDefined());
    open?.(requests[0]);
    await sending;
    expect(shownIn(tab)).toEqual([['Long.', 'sent']]);
  });

  test('does not come back once it was removed', async () => {
    const [answer] = tabs[0].state.get().answers;
    if (answer) await tabs[0].discard(answer);
    await untilPasses(() => expect(shownIn(tabs[1])).toEqual([]));
    requests[1].onAnswer = fails('message_too_large');
    await tabs[1].send({ text: 'Other.' });
    conversation = create();
    await open(fakeRequest());
    expect(deliveries().map(([text]) => text)).toEqual(['Other.']);
  });
});

test('a decision is not sent automatically when opening its request took longer than a minute', async () => {
  const later = fakeRequest();
  let finish = () => {};
  const requests = [
    Promise.resolve(request),
    new Promise<FakeRequest>((resolve) => (finish = () => resolve(later))),
  ];
  follow(() => requests.shift() ?? Promise.resolve(later));
  await untilPasses(() => expect(now().request).toBeDefined());
  conversation.reopen();
  request.list('end');
  const sending = conversation.send({ text: '', answer: decision });
  await new Promise((resolve) => setTimeout(resolve, 20));
  const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 61_000);
  finish();
  await sending;
  clock.mockRestore();
  expect([...request.answered, ...later.answered]).toEqual([]);
  expect(deliveries()).toEqual([['', 'refused', 'timeout']]);
});

test('a decision behind a refused answer stays with the SDK, which knows its time', async () => {
  await open();
  await sendWhileAway('First.');
  request.onAnswer = async (text) => {
    request.unsent.push(text);
    request.taken.set(text, decision);
    throw new RelayError('unreachable', 'unreachable');
  };
  await conversation.send({ text: 'Yes.', answer: decision });
  const { length } = request.answered;
  request.onRefresh = async () => {
    if (request.unsent.includes('First.')) throw refusal('conflict');
  };
  await untilPasses(() =>
    expect(deliveries()).toEqual([
      ['First.', 'refused', 'conflict'],
      ['Yes.', 'waiting', ''],
    ]),
  );
  expect(request.answered).toHaveLength(length);
  // Retries end.
  await conversation.close();
});

test('an answer that is written while refused ones are moved is sent afterwards', async () => {
  await open();
  await sendWhileAway('Refused.');
  let finish = () => {};
  let isDiscarding = false;
  request.onDiscard = () => {
    isDiscarding = true;
    return new Promise((resolve) => (finish = () => resolve(request.remove())));
  };
  request.list(refusal('invalid_input'));
  await untilPasses(() => expect(isDiscarding).toBe(true));
  request.onAnswer = async (text) => ({ messageId: text, isSent: true });
  const sending = conversation.send({ text: 'New.' });
  await new Promise((resolve) => setTimeout(resolve));
  expect(request.answered).toHaveLength(1);
  finish();
  await sending;
  expect(deliveries()).toEqual([
    ['Refused.', 'refused', 'invalid_input'],
    ['New.', 'sent', ''],
  ]);
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

describe('an answer that is held since the agent has written', () => {
  const hold = (...held: string[]) => {
    request.unsent.splice(0, 9, ...held);
    request.held.splice(0, 9, ...held);
  };

  test('is sent when the expert wants it anyway, with the links of when it was written', async () => {
    request.onAnswer = async (text) => {
      hold(text);
      throw new RelayError('newer_message', 'newer');
    };
    await open();
    await conversation.send({ text: 'Yes.' });
    expect(deliveries()).toEqual([['Yes.', 'held', '']]);
    request.list(message('WAIT'));
    await untilPasses(() => expect(texts()).toEqual(['WAIT']));
    conversation.markShown('WAIT');
    request.onAnswer = async () => {
      hold();
      return { messageId: 'm1', isSent: true };
    };
    const [answer] = now().answers;
    if (answer) await conversation.sendAnyway(answer);
    expect(request.answered.at(-1)).toMatchObject({ text: 'Yes.', shown: [], evenIfNewer: true });
    expect(deliveries()).toEqual([['Yes.', 'sent', '']]);
    // A second press sends nothing.
    if (answer) await conversation.sendAnyway(answer);
    expect(request.answered).toHaveLength(2);
  });

  test('goes back to the expert, and is stored before it is discarded', async () => {
    hold('Yes.', 'Do it.');
    await open();
    expect(deliveries().map(([text, delivery]) => [text, delivery])).toEqual([
      ['Yes.', 'held'],
      ['Do it.', 'held'],
    ]);
    const steps: string[] = [];
    request.onDiscard = async () => {
      steps.push('discard');
      request.held.splice(0);
      return request.unsent.splice(0);
    };
    await conversation.takeBack(async (waiting) => {
      steps.push(...waiting.map(({ text }) => text));
    });
    expect(steps).toEqual(['Yes.', 'Do it.', 'discard']);
    expect(now().answers).toEqual([]);
  });
});
