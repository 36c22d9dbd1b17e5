import { eventually, type LyingRelay } from '@expert-relay/testkit';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { makeRoot } from './crypto/index.ts';
import type { Expert, ExpertRequest } from './expert/index.ts';
import type { Form } from './forms/index.ts';
import { type Conversation, type ConversationState, createMemoryStore, type Store } from './index.ts';
import { pendingTexts } from './testing/pending-texts.ts';
import { takeMessages } from './testing/take-messages.ts';
import { useSession } from './testing/use-session.ts';
import { useTestServer } from './testing/use-test-server.ts';

const server = useTestServer();
const session = useSession(server);
const root = makeRoot();
const patiently = { timeoutMs: 60_000 };
let store: Store;
let liar: LyingRelay;

beforeEach(async () => {
  store = createMemoryStore();
  liar = await server.startLyingRelay();
});

const isMessage = ({ method, path }: { method: string; path: string }) =>
  method === 'POST' && /\/messages?(\/|$)/.test(path);
const refuseMessages = {
  swallow: (call: { method: string; path: string }) =>
    isMessage(call) ? { status: 503, body: {} } : undefined,
};

/** The experts that the rules are tested with. Each call opens the same request with another client. */
const kinds: readonly [
  string,
  {
    ask(form?: Form): Promise<Conversation>;
    expert(url?: string, change?: (own: typeof fetch) => typeof fetch): Expert;
  },
][] = [
  [
    'by key',
    {
      ask: (form) => server.agent().ask({ question: 'May I delete test?', form }),
      expert: (url, change) =>
        server.expert({ root, store, ...(url && { url }), ...(change && { fetch: change(fetch) }) }),
    },
  ],
  [
    'by session',
    {
      ask: (form) =>
        server.agent({ apiKey: session.consumerKey }).ask({ question: 'May I delete test?', form }),
      expert: (url, change) =>
        session.expert({
          root,
          store,
          ...(url && { url }),
          ...(change && { fetch: change(session.fetch) }),
        }),
    },
  ],
];

describe.each(kinds)('an expert %s', (_, { ask, expert }) => {
  /** A request that was picked up, and to which the agent has then written a text that the client has read. */
  async function askedAgain(): Promise<{ conversation: Conversation; request: ExpertRequest; wait: string }> {
    const conversation = await ask();
    const request = await expert().request(conversation.requestId);
    await request.pickUp();
    await conversation.refresh();
    const { messageId } = await conversation.send('WAIT: also PRODUCTION?');
    await request.refresh();
    return { conversation, request, wait: messageId };
  }

  test('does not send an answer over a message that was not shown, until the user says so', async () => {
    const { conversation, request } = await askedAgain();
    await expect(request.answer('Yes.')).rejects.toMatchObject({ code: 'newer_message' });
    expect(request.pending).toMatchObject([{ text: 'Yes.', state: 'held' }]);
    await expect(request.refresh()).rejects.toMatchObject({ code: 'newer_message' });
    expect(await request.answer('Yes.', { evenIfNewer: true })).toMatchObject({ isSent: true });
    expect(request.pending).toEqual([]);
    expect(await conversation.waitForAnswer({ includeEarly: true, ...patiently })).toMatchObject({
      text: 'Yes.',
      seenYourLast: false,
    });
    // A held text that is discarded is never sent.
    await expect(request.answer('Really.')).rejects.toMatchObject({ code: 'newer_message' });
    expect(await request.discard()).toEqual(['Really.']);
    await takeMessages(request);
    await request.answer('No!');
    expect(await conversation.waitForAnswer(patiently)).toMatchObject({ text: 'No!', seenYourLast: true });
  });

  test('whose program names what was shown: it counts, also while a loop collects the messages', async () => {
    const { conversation, request, wait } = await askedAgain();
    const messages = request.messages[Symbol.asyncIterator]();
    await messages.next();
    await expect(request.answer('Yes.', { shown: [] })).rejects.toMatchObject({ code: 'newer_message' });
    await request.discard();
    await request.answer('No!', { shown: [wait.toUpperCase()] });
    await messages.return?.();
    expect(await conversation.waitForAnswer(patiently)).toMatchObject({ text: 'No!', seenYourLast: true });
  });

  test('who answers in a loop is not asked, and the agent is informed what each answer had seen', async () => {
    const { conversation, request } = await askedAgain();
    await conversation.send('And the log?');
    await request.refresh();
    const texts: string[] = [];
    for await (const { from, text } of request.messages) {
      if (from === 'expert') continue;
      texts.push(text);
      await request.answer(`About "${text}": no.`);
      if (texts.length === 2) break;
    }
    const answers = [
      await conversation.waitForAnswer({ includeEarly: true, ...patiently }),
      await conversation.waitForAnswer({ includeEarly: true, ...patiently }),
    ];
    expect(answers.map(({ seenYourLast }) => seenYourLast)).toEqual([false, true]);
  });

  describe('whose text was encrypted, and then could not be sent', () => {
    const wait = 'WAIT: also PRODUCTION?';

    /** The agent has written since, and the relay takes messages again. */
    async function crossed() {
      const conversation = await ask();
      const request = await expert(liar.url).request(conversation.requestId);
      await request.pickUp();
      await conversation.refresh();
      liar.tell(refuseMessages);
      await expect(request.answer('Yes.', { shown: [] })).rejects.toMatchObject({ reason: 'unreachable' });
      await conversation.send(wait);
      liar.tell({});
      return { conversation, request };
    }

    /** A request whose first call with a message fails after `instead`. */
    async function cutOff(
      conversation: Conversation,
      instead: (own: () => Promise<unknown>) => Promise<unknown>,
    ): Promise<ExpertRequest> {
      let isCut = false;
      const request = await expert(undefined, (own) => async (input, init) => {
        const call = { method: init?.method ?? 'GET', path: String(input) };
        if (isCut || !isMessage(call)) return own(input, init);
        isCut = true;
        await instead(() => own(input, { ...init, signal: null }));
        throw new TypeError('The network is gone.');
      }).request(conversation.requestId);
      await request.pickUp();
      await conversation.refresh();
      return request;
    }

    test('is asked again: it is held', async () => {
      const { conversation, request } = await crossed();
      await expect(request.refresh()).rejects.toMatchObject({ code: 'newer_message' });
      expect(request.pending).toMatchObject([{ text: 'Yes.', state: 'held' }]);
      // It is sent as it was encrypted: the relay may have it. It links to what was shown when it was written.
      const messageId = request.pending[0]?.messageId;
      expect(await request.answer('Yes.', { messageId, evenIfNewer: true })).toMatchObject({ isSent: true });
      expect(await conversation.waitForAnswer({ includeEarly: true, ...patiently })).toMatchObject({
        text: 'Yes.',
        seenYourLast: false,
      });
      // Later messages of both sides link to it.
      await takeMessages(request);
      await conversation.send('And now?');
      await request.refresh();
      await takeMessages(request);
      await request.answer('No!');
      expect(await conversation.waitForAnswer(patiently)).toMatchObject({ text: 'No!', seenYourLast: true });
    });

    test.each([
      ['a text', undefined],
      ['a decision', { action: 'accept', content: {} }],
    ] as const)('is confirmed, and the first call arrives late: %s', async (_what, decision) => {
      const form = { type: 'object', properties: {} } as const;
      const conversation = await ask(decision && form);
      const waiting = decision && conversation.waitForDecision(patiently);
      let arrive: (() => Promise<unknown>) | undefined;
      const request = await cutOff(conversation, async (own) => {
        arrive = own;
        await conversation.send(wait);
      });
      const answering = (shown: readonly string[]) => request.answer('Yes.', { shown, decision });
      await expect(answering([])).rejects.toMatchObject({ code: 'newer_message' });
      const shown = (await takeMessages(request)).map(({ messageId }) => messageId);
      await answering(shown);
      expect(request.pending).toEqual([]);
      await arrive?.();
      // Of the two, the one counts that knows all messages.
      if (decision) expect(await waiting).toMatchObject({ action: 'accept' });
      else expect(await conversation.waitForAnswer(patiently)).toMatchObject({ seenYourLast: true });
    });

    test('also while the client repeats the call', async () => {
      const conversation = await ask();
      const request = await cutOff(conversation, () => conversation.send(wait));
      await expect(request.answer('Yes.', { shown: [] })).rejects.toMatchObject({ code: 'newer_message' });
      expect(pendingTexts(request, 'held')).toEqual(['Yes.']);
    });

    test('is held again after an aborted call', async () => {
      const { request } = await crossed();
      await expect(request.refresh()).rejects.toMatchObject({ code: 'newer_message' });
      const aborted = new AbortController();
      liar.tell({
        swallow(call) {
          if (!isMessage(call)) return undefined;
          aborted.abort();
          return { status: 503, body: {} };
        },
      });
      const messageId = request.pending[0]?.messageId;
      const sent = request.answer('Yes.', { messageId, evenIfNewer: true, signal: aborted.signal });
      await expect(sent).rejects.toMatchObject({ code: 'aborted' });
      liar.tell({});
      await expect(request.refresh()).rejects.toMatchObject({ code: 'newer_message' });
      expect(pendingTexts(request, 'held')).toEqual(['Yes.']);
    });

    test('discards it: later messages do not link to it', async () => {
      const { conversation, request } = await crossed();
      await expect(request.refresh()).rejects.toMatchObject({ code: 'newer_message' });
      expect(await request.discard()).toEqual(['Yes.']);
      expect(pendingTexts(request)).toEqual([]);
      await takeMessages(request);
      await request.answer('No!');
      expect(await conversation.waitForAnswer(patiently)).toMatchObject({ text: 'No!', seenYourLast: true });
      const again = await expert().request(conversation.requestId);
      expect((await takeMessages(again)).map(({ text }) => text)).toEqual([wait, 'No!']);
    });

    test('and the relay has it: it is sent, once', async () => {
      const conversation = await ask();
      const request = await cutOff(conversation, async (own) => {
        await own();
        await conversation.refresh();
        await conversation.send(wait);
      });
      expect(await request.answer('Yes.', { shown: [] })).toMatchObject({ isSent: true });
      expect(request.pending).toEqual([]);
      expect((await takeMessages(request)).map(({ text }) => text)).toEqual(['Yes.', wait]);
    });

    test('and it arrives after it was discarded: it is shown, and later messages link to it', async () => {
      const conversation = await ask();
      let arrive!: () => Promise<unknown>;
      const request = await cutOff(conversation, async (own) => {
        arrive = own;
        await conversation.send(wait);
      });
      await expect(request.answer('Yes.', { shown: [] })).rejects.toMatchObject({ code: 'newer_message' });
      await request.discard();
      await arrive();
      await request.refresh();
      expect((await takeMessages(request)).map(({ text }) => text)).toEqual([wait, 'Yes.']);
      await request.answer('No!');
      const device = await expert().request(conversation.requestId);
      expect((await takeMessages(device)).map(({ text }) => text)).toEqual([wait, 'Yes.', 'No!']);
      expect(await conversation.waitForAnswer({ includeEarly: true, ...patiently })).toMatchObject({
        text: 'Yes.',
      });
      expect(await conversation.waitForAnswer(patiently)).toMatchObject({ text: 'No!', seenYourLast: true });
    });
  });

  test('is told by a message of the agent what the agent had been shown', async () => {
    const conversation = await ask();
    const request = await expert().request(conversation.requestId);
    await request.answer('Yes.');
    await conversation.refresh();
    // It was read and not returned. An agent is not asked.
    await conversation.send('Hello?');
    await conversation.waitForAnswer({ includeEarly: true, ...patiently });
    await conversation.send('Thank you.');
    await request.refresh();
    const fromAgent = (await takeMessages(request)).filter(({ from }) => from === 'agent');
    expect(fromAgent.map(({ seenYourLast }) => seenYourLast)).toEqual([false, true]);
  });

  test('is not told of what another device has seen', async () => {
    const { conversation, request } = await askedAgain();
    const device = await expert().request(conversation.requestId);
    await takeMessages(device);
    await device.answer('No!');
    expect(await conversation.waitForAnswer(patiently)).toMatchObject({ text: 'No!', seenYourLast: true });
    // The other device's user has not been shown this answer, nor what it answers.
    await request.refresh();
    await expect(request.answer('Yes.', { shown: [] })).rejects.toMatchObject({ code: 'newer_message' });
    await request.answer('Yes.', { evenIfNewer: true });
    expect(await conversation.waitForAnswer({ includeEarly: true, ...patiently })).toMatchObject({
      text: 'Yes.',
      seenYourLast: false,
    });
  });

  test('remembers what was shown, and when, for other processes', async () => {
    const { request, wait } = await askedAgain();
    const { requestId } = request;
    const startedAt = Date.now();
    const other = expert();
    expect(await other.shownBefore(requestId, Date.now() + 1)).toBeUndefined();
    await expert().markShown(requestId);
    expect(await other.shownBefore(requestId, Date.now() + 1)).toEqual([]);
    await expert().markShown(requestId, [wait]);
    expect(await other.shownBefore(requestId, startedAt)).toBeUndefined();
    const shown = await other.shownBefore(requestId, Date.now() + 1);
    expect(shown).toEqual([wait]);
    const next = await other.request(requestId);
    await expect(next.answer('Yes.', { shown: [] })).rejects.toMatchObject({ code: 'newer_message' });
    await next.discard();
    await next.answer('No!', { shown: shown ?? [] });
  });
});

describe('a text that waits', () => {
  test('of a session, before the pick-up: the next page holds it if the agent writes meanwhile', async () => {
    const conversation = await server.agent({ apiKey: session.consumerKey }).ask({ question: 'May I?' });
    const other = await session.expert({ root, store: createMemoryStore() }).request(conversation.requestId);
    liar.tell({
      swallow: ({ path }) => (path.endsWith('/key-exchange') ? { status: 503, body: {} } : undefined),
    });
    const page = await session.expert({ root, store, url: liar.url }).request(conversation.requestId);
    await expect(page.answer('Yes.', { shown: [] })).rejects.toMatchObject({ reason: 'unreachable' });
    await other.pickUp();
    await conversation.refresh();
    await conversation.send('WAIT: also PRODUCTION?');
    const next = await session.expert({ root, store }).request(conversation.requestId);
    await expect(next.refresh()).rejects.toMatchObject({ code: 'newer_message' });
    expect(pendingTexts(next, 'held')).toEqual(['Yes.']);
    // A loop only reports it.
    const loop = next.messages[Symbol.asyncIterator]();
    expect((await loop.next()).value).toMatchObject({ text: 'WAIT: also PRODUCTION?' });
    await loop.return?.();
    // Another answer takes its place.
    await next.answer('Wait.');
    expect(next.pending).toEqual([]);
    expect(await conversation.waitForAnswer(patiently)).toMatchObject({ text: 'Wait.', seenYourLast: true });
  });

  test('of a session is a decision: on the next page its user decides the same again, and it counts', async () => {
    const form = { type: 'object', properties: {} } as const;
    const conversation = await server
      .agent({ apiKey: session.consumerKey })
      .ask({ question: 'May I?', form });
    const deciding = conversation.waitForDecision(patiently);
    const page = await session.expert({ root, store, url: liar.url }).request(conversation.requestId);
    await page.pickUp();
    await conversation.refresh();
    liar.tell(refuseMessages);
    const decision = { action: 'accept', content: {} } as const;
    await expect(page.answer('Yes.', { shown: [], decision })).rejects.toMatchObject({
      reason: 'unreachable',
    });
    await conversation.send('WAIT: also PRODUCTION?');
    const next = await session.expert({ root, store }).request(conversation.requestId);
    await expect(next.refresh()).rejects.toMatchObject({ code: 'newer_message' });
    const shown = (await takeMessages(next)).map(({ messageId }) => messageId);
    expect(await next.answer('Yes.', { shown, decision })).toMatchObject({ isSent: true });
    expect(next).toMatchObject({ pending: [], decision: 'accepted' });
    expect(await deciding).toMatchObject({ action: 'accept' });
  });

  test('of an agent keeps its links through a restart', async () => {
    const stored = (state: ConversationState): ConversationState => JSON.parse(JSON.stringify(state));
    const conversation = await server.agent({ url: liar.url }).ask({ question: 'May I?' });
    const request = await server.expert({ root }).request(conversation.requestId);
    await request.answer('First.');
    const first = await conversation.waitForAnswer(patiently);
    await request.answer('Second.');
    await conversation.refresh();
    liar.tell(refuseMessages);
    await expect(conversation.send('One.', { shown: [first.messageId] })).rejects.toMatchObject({
      reason: 'unreachable',
    });
    await expect(conversation.send('Two.', { shown: [first.messageId] })).rejects.toMatchObject({
      reason: 'unreachable',
    });
    const again = await server.agent().resume(stored(conversation.export()));
    expect((await again.waitForAnswer({ includeEarly: true, ...patiently })).text).toBe('Second.');
    await again.refresh();
    expect(again.unsent).toEqual([]);
    await request.refresh();
    const messages = await eventually('both texts', async () => {
      await request.refresh();
      const taken = (await takeMessages(request)).filter(({ from }) => from === 'agent');
      return taken.length === 2 ? taken : undefined;
    });
    expect(messages.map(({ text, seenYourLast }) => [text, seenYourLast])).toEqual([
      ['One.', false],
      ['Two.', false],
    ]);
  });
});
