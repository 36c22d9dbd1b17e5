import { startConstellation } from '@expert-relay/constellation';
import { createTcpProxy } from '@expert-relay/testkit';
import { describe, expect, test } from '@jest/globals';
import { makeRoot } from './crypto/index.ts';
import { type ConversationState, createRelay } from './index.ts';
import { quick } from './testing/quick.ts';
import { takeMessages } from './testing/take-messages.ts';
import { useTestServer } from './testing/use-test-server.ts';
import { watchStates } from './testing/watch-states.ts';

/* The tests are mostly waiting time, so they run at the same time, each with a conversation of its own. */

const server = useTestServer();
const root = makeRoot();
const stored = (state: ConversationState): ConversationState => JSON.parse(JSON.stringify(state));

/** A fetch that makes each call, and fails once after a call to this path, as if the process was killed before the answer. */
function losingAnswer(path: string): typeof globalThis.fetch {
  let isLost = false;
  return async (input, init) => {
    const response = await fetch(input, init);
    if (isLost || !String(input).includes(path)) return response;
    isLost = true;
    await response.text();
    throw new TypeError('The process was killed here.');
  };
}

async function textsOf(requestId: string, from: string): Promise<string[]> {
  const request = await server.expert({ root }).request(requestId);
  const texts: string[] = [];
  await request.close();
  for await (const message of request.messages) if (message.from === from) texts.push(message.text);
  return texts;
}

describe('an agent that was restarted', () => {
  test.concurrent('continues at any point, and returns each answer once', async () => {
    const expert = server.expert({ root });
    let conversation = await server.agent().ask({ question: 'The real one.', confidential: true });
    const restart = async () => {
      conversation = await server.agent().resume(stored(conversation.export()));
    };
    expect(conversation.unsent).toEqual(['The real one.']);
    const request = await expert.request(conversation.refCode);
    expect(request.question).not.toContain('real');
    await restart();
    expect(await conversation.send('And another thing.')).toMatchObject({ isSent: false });
    await restart();
    await request.pickUp();
    await conversation.refresh();
    await request.receive();
    await request.answer('First.');
    await restart();
    expect(await conversation.waitForAnswer({ timeoutMs: 60_000 })).toMatchObject({
      text: 'First.',
      seenYourLast: true,
    });
    expect(conversation.unsent).toEqual([]);
    await restart();
    // An answer counts only if the expert was shown the agent's last text. The SDK does not read again within a second.
    await request.refresh();
    await takeMessages(request);
    await request.answer('Second.');
    await request.answer('Third.');
    await conversation.refresh();
    await restart();
    expect((await conversation.waitForAnswer({ timeoutMs: 60_000 })).text).toBe('Second.');
    await restart();
    expect((await conversation.waitForAnswer({ timeoutMs: 60_000 })).text).toBe('Third.');
    await conversation.send('Thank you.');
    await restart();
    await conversation.close();
    await restart();
    await expect(conversation.waitForAnswer()).rejects.toMatchObject({ code: 'closed' });
    expect(await textsOf(conversation.requestId, 'agent')).toEqual([
      'The real one.',
      'And another thing.',
      'Thank you.',
    ]);
  });

  test.concurrent('submits its question once, although the answer to the submit was lost', async () => {
    const saved: ConversationState[] = [];
    const store = watchStates((state) => void saved.push(state));
    const killed = server.agent({ store, fetch: losingAnswer('/help'), timing: { ...quick, patienceMs: 0 } });
    await expect(killed.ask({ question: 'Submitted once?' })).rejects.toMatchObject({
      reason: 'unreachable',
    });
    const [state] = saved;
    if (!state) throw new Error('Nothing was saved.');
    expect(state.request).toBeUndefined();
    const conversation = await server.agent().resume(state);
    const again = await server.agent().resume(state);
    expect(again.requestId).toBe(conversation.requestId);
    const all = await server.agent().requests();
    expect(all.filter(({ question }) => question === 'Submitted once?')).toHaveLength(1);
  });

  test.concurrent('sends a message once, although the answer to the call was lost', async () => {
    const saved: ConversationState[] = [];
    const store = watchStates((state) => void saved.push(state));
    const killed = server.agent({
      store,
      fetch: losingAnswer('/message/'),
      timing: { ...quick, patienceMs: 0 },
    });
    const conversation = await killed.ask({ question: 'Once?' });
    const request = await server.expert({ root }).request(conversation.requestId);
    await request.pickUp();
    await expect(conversation.send('One.')).rejects.toMatchObject({ reason: 'unreachable' });
    const resumed = await server.agent().resume(saved.at(-1) as ConversationState);
    expect(resumed.unsent).toEqual(['One.']);
    await resumed.send('Two.');
    expect(resumed.unsent).toEqual([]);
    expect(await textsOf(conversation.requestId, 'agent')).toEqual(['One.', 'Two.']);
  });

  test.concurrent('gets an error for a state that is not a saved conversation', async () => {
    const submission = { question: 'Once?' };
    for (const [state, message] of [
      [{}, 'Give that unchanged, or start again.'],
      [null, 'Give that unchanged, or start again.'],
      [{ version: 2, id: 'x' }, 'Give that unchanged, or start again.'],
      [{ version: 1, id: 'x', submission }, 'Another version of the SDK saved this: resume it there.'],
    ] as const) {
      await expect(server.agent().resume(state as unknown as ConversationState)).rejects.toMatchObject({
        code: 'invalid_input',
        message: expect.stringContaining(message),
      });
    }
  });
});

describe('waiting for an answer', () => {
  test.concurrent('ends with its timeout, its signal, its client and its conversation', async () => {
    const relay = server.agent();
    const conversation = await relay.ask({ question: 'Anybody?' });
    await expect(conversation.waitForAnswer({ timeoutMs: 20 })).rejects.toMatchObject({ code: 'timeout' });
    const aborted = new AbortController();
    const waiting = expect(conversation.waitForAnswer({ signal: aborted.signal })).rejects.toMatchObject({
      code: 'aborted',
    });
    aborted.abort();
    await waiting;
    await expect(conversation.waitForAnswer({ signal: aborted.signal })).rejects.toMatchObject({
      code: 'aborted',
    });
    await expect(relay.ask({ question: 'x', signal: aborted.signal })).rejects.toMatchObject({
      code: 'aborted',
    });
    const stopped = expect(conversation.waitForAnswer()).rejects.toMatchObject({ code: 'aborted' });
    relay.stop();
    await stopped;
    const resumed = await server.agent().resume(conversation.export());
    const closed = expect(resumed.waitForAnswer()).rejects.toMatchObject({
      code: 'closed',
    });
    await (await server.expert({ root }).request(conversation.requestId)).close();
    await closed;
    for await (const answer of resumed) expect(answer).toBeUndefined();
    await expect(resumed.send('x')).rejects.toMatchObject({ code: 'closed' });
  });

  test.concurrent('continues when the gateway and the hub are reachable again', async () => {
    const [gateway, hub] = [await createTcpProxy(server.gatewayUrl), await createTcpProxy(server.hubUrl)];
    const relay = server.agent({ url: gateway.url, hubUrl: hub.url });
    const conversation = await relay.ask({ question: 'Still there?' });
    const first = conversation.waitForAnswer({ timeoutMs: 60_000 });
    const request = await server.expert({ root }).request(conversation.requestId);
    await hub.cut();
    await request.answer('Without a hub.');
    expect((await first).text).toBe('Without a hub.');
    await gateway.cut();
    const second = conversation.waitForAnswer({ timeoutMs: 60_000, includeEarly: true });
    await request.answer('Without anything.');
    const sending = conversation.send('Is it you?');
    // It may fail before the answer below arrives.
    sending.catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, 300));
    await Promise.all([gateway.restore(), hub.restore()]);
    expect((await second).text).toBe('Without anything.');
    await sending.catch(() => conversation.refresh());
    expect(conversation.unsent).toEqual([]);
    relay.stop();
    await Promise.all([gateway.stop(), hub.stop()]);
    expect(await textsOf(conversation.requestId, 'agent')).toEqual(['Is it you?']);
  });
});

test.concurrent('a rate limit pauses all calls for as long as it says', async () => {
  const liar = await server.startLyingRelay();
  let limited = 0;
  const calls: number[] = [];
  liar.tell({
    instead() {
      calls.push(performance.now());
      if (limited++ > 0) return undefined;
      return { status: 429, headers: { 'retry-after': '1' }, body: '{"error":"too_many_at_once"}' };
    },
  });
  const relay = server.agent({ url: liar.url });
  await Promise.all([relay.whoami(), relay.requests()]);
  expect((calls[2] ?? 0) - (calls[0] ?? 0)).toBeGreaterThan(900);
  liar.tell({ instead: () => ({ status: 429, headers: { 'retry-after': '60' }, body: '{}' }) });
  await expect(server.agent({ url: liar.url }).whoami()).rejects.toMatchObject({
    reason: 'rate_limited',
    retryAfterMs: 60_000,
    status: 429,
  });
});

// It starts a relay, which must be alone when it stops: open connections of other tests would look like its own.
test('waiting for an answer ends when the conversation expires', async () => {
  const brief = await startConstellation({
    env: { RELAY_CONVERSATION_TTL: '2s', RELAY_HUB_RETRY: '100ms' },
  });
  try {
    const { consumerKey } = await brief.makeTenant();
    const relay = createRelay({ url: brief.gatewayUrl, apiKey: consumerKey, timing: quick });
    const conversation = await relay.ask({ question: 'Anybody?' });
    await expect(conversation.waitForAnswer({ timeoutMs: 60_000 })).rejects.toMatchObject({
      code: 'expired',
    });
    expect(conversation.status).toBe('expired');
    relay.stop();
  } finally {
    await brief.stop();
  }
});
