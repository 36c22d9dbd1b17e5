import { type Constellation, startConstellation, type Tenant } from '@expert-relay/constellation';
import { createCable, eventually, type LyingRelay, startLyingRelay } from '@expert-relay/testkit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { makeRoot } from './crypto/index.ts';
import { createExpert } from './expert/index.ts';
import { type ConversationState, createRelay, type RelayOptions } from './index.ts';
import { quick } from './testing/quick.ts';
import { runProgram } from './testing/run-program.ts';

let world: Constellation;
let tenant: Tenant;
const root = makeRoot();

beforeAll(async () => {
  world = await startConstellation({ env: { RELAY_HUB_RETRY: '100ms' } });
  tenant = await world.makeTenant();
});
afterAll(async () => world.stop());

const agent = (options: Partial<RelayOptions> = {}) =>
  createRelay({ url: world.gatewayUrl, apiKey: tenant.consumerKey, timing: quick, ...options });
const human = (timing = quick) =>
  createExpert({ url: world.gatewayUrl, apiKey: tenant.providerKey, root, timing });
const stored = (state: ConversationState): ConversationState => JSON.parse(JSON.stringify(state));

/** A fetch that does what it is told and then loses the answer, once. */
function losing(path: string): typeof globalThis.fetch {
  let isLost = false;
  return async (input, init) => {
    const response = await fetch(input, init);
    if (isLost || !String(input).includes(path)) return response;
    isLost = true;
    await response.text();
    throw new TypeError('The process was killed here.');
  };
}

async function textsOf(requestId: string, role: string): Promise<string[]> {
  const request = await human().request(requestId);
  const texts: string[] = [];
  const { responseCount } = request;
  await request.close();
  for await (const message of request.messages) if (message.role === role) texts.push(message.text);
  expect(responseCount).toBeGreaterThanOrEqual(0);
  return texts;
}

describe('a restarted agent', () => {
  test('goes on wherever it was left, and hands out each answer once', async () => {
    const expert = human();
    let conversation = await agent().ask({ question: 'The real one.', confidential: true });
    const restart = async () => {
      conversation = await agent().resume(stored(conversation.export()));
    };
    expect(conversation.unsent).toEqual(['The real one.']);
    const request = await expert.request(conversation.refCode);
    expect(request.question).not.toContain('real');
    await restart();
    expect(await conversation.send('And another thing.')).toMatchObject({ isSent: false });
    await restart();
    await request.pickUp();
    await request.answer('First.');
    await restart();
    // It was written before the confidential question went out.
    expect(await conversation.waitForAnswer({ timeout: 60_000, any: true })).toMatchObject({
      text: 'First.',
      seenYourLast: false,
    });
    expect(conversation.unsent).toEqual([]);
    await restart();
    // An answer counts when the expert has read the agent's last text, which within a second is not read again.
    await request.refresh();
    await request.answer('Second.');
    await request.answer('Third.');
    await conversation.refresh();
    await restart();
    expect((await conversation.waitForAnswer({ timeout: 60_000 })).text).toBe('Second.');
    await restart();
    expect((await conversation.waitForAnswer({ timeout: 60_000 })).text).toBe('Third.');
    await conversation.send('Thank you.');
    await restart();
    await conversation.close();
    await restart();
    await expect(conversation.waitForAnswer()).rejects.toMatchObject({ code: 'conversation_closed' });
    expect(await textsOf(conversation.requestId, 'consumer')).toEqual([
      'The real one.',
      'And another thing.',
      'Thank you.',
    ]);
  });

  test('asks once, although it never heard that it had', async () => {
    const kept: ConversationState[] = [];
    const save = (state: ConversationState) => void kept.push(stored(state));
    const killed = agent({ save, fetch: losing('/help'), timing: { ...quick, patience: 0 } });
    await expect(killed.ask({ question: 'Once?' })).rejects.toMatchObject({ code: 'unreachable' });
    const [state] = kept;
    if (!state) throw new Error('Nothing was kept.');
    expect(state.request).toBeUndefined();
    const conversation = await agent().resume(state);
    const again = await agent().resume(state);
    expect(again.requestId).toBe(conversation.requestId);
    const all = await agent().requests();
    expect(all.filter(({ question }) => question === 'Once?')).toHaveLength(1);
  });

  test('sends once, although it was killed between sealing and the answer', async () => {
    const kept: ConversationState[] = [];
    const save = (state: ConversationState) => void kept.push(stored(state));
    const killed = agent({ save, fetch: losing('/message/'), timing: { ...quick, patience: 0 } });
    const conversation = await killed.ask({ question: 'Once?' });
    const request = await human().request(conversation.requestId);
    await request.pickUp();
    await expect(conversation.send('One.')).rejects.toMatchObject({ code: 'unreachable' });
    const revived = await agent().resume(kept.at(-1) as ConversationState);
    expect(revived.unsent).toEqual(['One.']);
    await revived.send('Two.');
    expect(revived.unsent).toEqual([]);
    expect(await textsOf(conversation.requestId, 'consumer')).toEqual(['One.', 'Two.']);
  });

  test('is told what is no saved conversation', async () => {
    for (const state of [{}, null, { version: 2, id: 'x' }, { version: 1, id: 'x' }]) {
      await expect(agent().resume(state as ConversationState)).rejects.toMatchObject({
        code: 'invalid_input',
        message: expect.stringMatching(/Give that unchanged, or start again|resume it there/),
      });
    }
  });
});

describe('waiting', () => {
  test('ends with its time, its signal, its client and its conversation', async () => {
    const relay = agent();
    const conversation = await relay.ask({ question: 'Anybody?' });
    await expect(conversation.waitForAnswer({ timeout: 20 })).rejects.toMatchObject({ code: 'timeout' });
    const called = new AbortController();
    const waiting = expect(conversation.waitForAnswer({ signal: called.signal })).rejects.toMatchObject({
      code: 'aborted',
    });
    called.abort();
    await waiting;
    await expect(conversation.waitForAnswer({ signal: called.signal })).rejects.toMatchObject({
      code: 'aborted',
    });
    await expect(relay.ask({ question: 'x', signal: called.signal })).rejects.toMatchObject({
      code: 'aborted',
    });
    const stopped = expect(conversation.waitForAnswer()).rejects.toMatchObject({ code: 'aborted' });
    relay.stop();
    await stopped;
    const closed = expect(conversation.waitForAnswer()).rejects.toMatchObject({
      code: 'conversation_closed',
    });
    await (await human().request(conversation.requestId)).close();
    await closed;
    for await (const answer of conversation) expect(answer).toBeUndefined();
    await expect(conversation.send('x')).rejects.toMatchObject({ code: 'conversation_closed' });
  });

  test('ends when the conversation expires', async () => {
    const brief = await startConstellation({
      env: { RELAY_CONVERSATION_TTL: '3s', RELAY_HUB_RETRY: '100ms' },
    });
    try {
      const { consumerKey } = await brief.makeTenant();
      const relay = createRelay({ url: brief.gatewayUrl, apiKey: consumerKey, timing: quick });
      const conversation = await relay.ask({ question: 'Anybody?' });
      await expect(conversation.waitForAnswer({ timeout: 60_000 })).rejects.toMatchObject({
        code: 'conversation_expired',
      });
      expect(conversation.status).toBe('expired');
      relay.stop();
    } finally {
      await brief.stop();
    }
  });

  test('outlives a gateway and a hub that come back', async () => {
    const [gateway, hub] = [await createCable(world.gatewayUrl), await createCable(world.hubUrl)];
    const relay = agent({ url: gateway.url, hubUrl: hub.url });
    const conversation = await relay.ask({ question: 'Still there?' });
    const first = conversation.waitForAnswer({ timeout: 60_000 });
    const request = await human().request(conversation.requestId);
    await hub.cut();
    await request.answer('Without a hub.');
    expect((await first).text).toBe('Without a hub.');
    await gateway.cut();
    const second = conversation.waitForAnswer({ timeout: 60_000, any: true });
    await request.answer('Without anything.');
    const sending = conversation.send('Is it you?');
    await new Promise((resolve) => setTimeout(resolve, 300));
    await Promise.all([gateway.restore(), hub.restore()]);
    expect((await second).text).toBe('Without anything.');
    await sending.catch(() => conversation.refresh());
    expect(conversation.unsent).toEqual([]);
    relay.stop();
    await Promise.all([gateway.stop(), hub.stop()]);
    expect(await textsOf(conversation.requestId, 'consumer')).toEqual(['Is it you?']);
  });

  test('waits as long as a limit says, and no call goes out meanwhile', async () => {
    const liar: LyingRelay = await startLyingRelay(world);
    let limited = 0;
    const calls: number[] = [];
    liar.tell({
      instead() {
        calls.push(performance.now());
        if (limited++ > 0) return undefined;
        return { status: 429, headers: { 'retry-after': '1' }, body: '{"error":"too_many_at_once"}' };
      },
    });
    const relay = agent({ url: liar.url });
    await Promise.all([relay.whoami(), relay.requests()]);
    expect((calls[2] ?? 0) - (calls[0] ?? 0)).toBeGreaterThan(900);
    liar.tell({ instead: () => ({ status: 429, headers: { 'retry-after': '60' }, body: '{}' }) });
    await expect(agent({ url: liar.url }).whoami()).rejects.toMatchObject({
      code: 'rate_limited',
      retryAfter: 60_000,
      status: 429,
    });
    await liar.stop();
  });
});

describe('a process', () => {
  test.each([
    ['only asked', 'await relay.ask({ question: "Anybody?" });'],
    [
      'stopped waiting',
      'const c = await relay.ask({ question: "Anybody?" }); await c.waitForAnswer({ timeout: 300 }).catch(() => {});',
    ],
    [
      'left its loop',
      'const c = await relay.ask({ question: "Answer me." }); for await (const a of c) { console.log(a.text); break; }',
    ],
  ])('ends by itself when it has %s', async (_, code) => {
    const program = await runProgram(`
      import { createRelay } from './index.ts';
      const relay = createRelay(${JSON.stringify({ url: world.gatewayUrl, apiKey: tenant.consumerKey })});
      ${code}
      console.log('done');`);
    if (code.includes('Answer me')) {
      const expert = human();
      for await (const request of expert.requests()) {
        if (request.question !== 'Answer me.') continue;
        await request.answer('Here.');
        break;
      }
      expert.stop();
    }
    expect(await program.ended).toBe(0);
    expect(program.output().trim().split('\n').at(-1)).toBe('done');
  });
});

test('hundreds of conversations are held on few sockets', async () => {
  const count = 300;
  // So many at once take their time on a busy machine; only the hub's events are to bring the answers.
  const patient = {
    ...quick,
    patience: 200_000,
    call: 100_000,
    recheck: 200_000,
    opening: 30_000,
    silence: 60_000,
  };
  const relay = agent({ timing: patient });
  const conversations = await Promise.all(
    Array.from({ length: count }, (_, index) => relay.ask({ question: `Question ${index}` })),
  );
  const answers = Promise.all(conversations.map((one) => one.waitForAnswer({ timeout: 200_000 })));
  const streams = async () => {
    const text = await (await fetch(`${world.services.hub.opsUrl}/metrics`)).text();
    return [...text.matchAll(/^relay_hub_streams\{.*\} (\d+)$/gm)].reduce(
      (sum, [, open]) => sum + Number(open),
      0,
    );
  };
  await eventually('the streams', async () => (await streams()) >= 3);
  const most = await streams();
  const expert = human(patient);
  await Promise.all(
    conversations.map(async ({ requestId }, index) => {
      await (await expert.request(requestId)).answer(`Answer ${index}`);
    }),
  );
  expect((await answers).map(({ text }) => text)).toEqual(
    Array.from({ length: count }, (_, index) => `Answer ${index}`),
  );
  expect(most).toBeLessThanOrEqual(4);
  relay.stop();
  expert.stop();
}, 240_000);
