import { createTcpProxy, eventually, type LyingRelay, startFloodingRelay } from '@expert-relay/testkit';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { AskingOptions, Relay, RelayOptions } from './index.ts';
import { useTestServer } from './testing/use-test-server.ts';
import { watchStates } from './testing/watch-states.ts';

/* A question whose call has ended must not stay open: no program would read the expert's answer. */

const server = useTestServer();
let liar: LyingRelay;
beforeAll(async () => {
  liar = await server.startLyingRelay();
});

const code = (value: string) => expect.objectContaining({ code: value });

/** An agent of its own, and what the relay has of it. */
async function open(options: Partial<RelayOptions> = {}) {
  liar.tell({});
  const { consumerKey: apiKey, providerKey } = await server.constellation.makeTenant();
  const direct = server.agent({ apiKey });
  return {
    relay: server.agent({ apiKey, url: liar.url, ...options }),
    expert: server.expert({ apiKey: providerKey }),
    statuses: async () => (await direct.requests()).map(({ status }) => status),
  };
}

const calls: [string, (relay: Relay, options?: AskingOptions) => Promise<unknown>][] = [
  ['approve', (relay, options) => relay.approve('Delete it?', options)],
  ['choose', (relay, options) => relay.choose('Where?', ['eu', 'us'], options)],
];

describe.each(calls)('the question of %s is closed', (_, call) => {
  test('when the call is aborted while the relay takes it', async () => {
    const { relay, statuses } = await open();
    liar.tell({ delay: 300 });
    const aborted = new AbortController();
    const waiting = call(relay, { signal: aborted.signal });
    waiting.catch(() => {});
    await eventually('the question', async () => (await statuses()).length === 1);
    aborted.abort();
    await expect(waiting).rejects.toEqual(code('aborted'));
    await eventually('it to be closed', async () => (await statuses())[0] === 'closed');
  });

  test('when the time ends while the relay takes it', async () => {
    const { relay, statuses } = await open();
    liar.tell({ delay: 600 });
    await expect(call(relay, { timeoutMs: 300 })).rejects.toEqual(code('timeout'));
    // On a busy machine, nothing may have been sent.
    await eventually('it to be closed', async () =>
      (await statuses()).every((status) => status === 'closed'),
    );
  });

  test('when it cannot be saved', async () => {
    const store = watchStates(({ request }) => {
      if (request) throw new Error('The disk is full.');
    });
    const { relay, statuses } = await open({ store });
    await expect(call(relay)).rejects.toThrow('The disk is full.');
    expect(await statuses()).toEqual(['closed']);
  });

  test.each([
    ['gives it the code of another question', { refCode: 'HS-00000000' }],
    ['has not taken all of it', { answerForm: undefined }],
  ])('when the relay %s', async (_, change) => {
    const { relay, statuses } = await open();
    liar.tell({ answer: (answer, { path }) => ({ ...answer, ...(path === '/api/v1/help' && change) }) });
    // The first one may have this code.
    if ('refCode' in change) await relay.ask({ question: 'Another one?' });
    await expect(call(relay)).rejects.toEqual(expect.objectContaining({ reason: 'question_altered' }));
    expect((await statuses())[0]).toBe('closed');
  });
});

test.each([[{ keepOpen: true }], [{ encrypted: false, once: 'deploy' }]])(
  'with %j it stays open, also when the call is aborted while the relay takes it',
  async (options) => {
    const { relay, statuses } = await open();
    liar.tell({ delay: 300 });
    const aborted = new AbortController();
    const waiting = relay.approve('Delete it?', { ...options, signal: aborted.signal });
    waiting.catch(() => {});
    await eventually('the question', async () => (await statuses()).length === 1);
    aborted.abort();
    await expect(waiting).rejects.toEqual(code('aborted'));
    expect(await statuses()).toEqual(['pending']);
  },
);

test('nothing is sent for a call that has ended while the relay was too busy', async () => {
  const { relay, statuses } = await open();
  liar.tell({ swallow: () => ({ status: 429, body: {} }) });
  await expect(relay.approve('Delete it?', { timeoutMs: 300 })).rejects.toEqual(code('timeout'));
  liar.tell({});
  await relay.whoami();
  expect(await statuses()).toEqual([]);
});

describe('a call with a timeout ends in time', () => {
  const tooMany = { status: 429, headers: { 'retry-after': '20' }, body: '{}' };
  const ways: Record<string, () => Promise<{ url: string; misbehave(): unknown; stop(): unknown }>> = {
    'answers that it is too busy': async () => {
      const { url } = liar;
      return { url, misbehave: () => liar.tell({ instead: () => tooMany }), stop: () => liar.tell({}) };
    },
    'does not answer': async () => {
      const proxy = await createTcpProxy(server.gatewayUrl);
      return { url: proxy.url, misbehave: () => proxy.hold(), stop: () => proxy.stop() };
    },
  };
  describe.each(Object.keys(ways))('of a relay that %s', (way) => {
    test.each(calls)('%s', async (_, call) => {
      const bad = await ways[way]?.();
      const { relay } = await open({ url: bad?.url ?? '' });
      bad?.misbehave();
      await expect(call(relay, { timeoutMs: 200 })).rejects.toEqual(code('timeout'));
      await bad?.stop();
    });

    /** A conversation with an answer and a decision that were read, and calls that hang while others wait. */
    async function startStuck() {
      const bad = await ways[way]?.();
      const { relay, expert } = await open({ url: bad?.url ?? '' });
      const form = { type: 'object', properties: {} } as const;
      const conversation = await relay.ask({ question: 'Delete it?', form, encrypted: false });
      const request = await expert.request(conversation.requestId);
      await request.answer('Wait.');
      await request.answer('', { decision: { action: 'decline' } });
      await conversation.refresh();
      bad?.misbehave();
      return { bad, conversation };
    }

    /** Whether a call still goes on. */
    function watch(call: Promise<unknown>): () => boolean {
      let goesOn = true;
      const end = () => {
        goesOn = false;
      };
      call.then(end, end);
      return () => goesOn;
    }

    test('waitForDecision, while another call reads', async () => {
      const { bad, conversation } = await startStuck();
      const isReading = watch(conversation.refresh());
      await expect(conversation.waitForDecision({ timeoutMs: 200 })).rejects.toEqual(code('timeout'));
      expect(isReading()).toBe(true);
      await bad?.stop();
    });

    test('waitForAnswer, while another call sends', async () => {
      const { bad, conversation } = await startStuck();
      const isSending = watch(conversation.send('Hurry.'));
      expect(await conversation.waitForAnswer({ timeoutMs: 200, includeEarly: true })).toMatchObject({
        text: 'Wait.',
      });
      await conversation.waitForAnswer({ timeoutMs: 200, includeEarly: true });
      await expect(conversation.waitForAnswer({ timeoutMs: 200 })).rejects.toEqual(code('timeout'));
      expect(isSending()).toBe(true);
      await bad?.stop();
    });
  });

  test('of a relay whose answer has no end', async () => {
    const flood = await startFloodingRelay();
    const { relay } = await open({ url: flood.url });
    await expect(relay.approve('Delete it?', { timeoutMs: 2_000 })).rejects.toEqual(
      expect.objectContaining({ code: expect.stringMatching(/^(timeout|unavailable)$/) }),
    );
    await flood.stop();
  });
});
