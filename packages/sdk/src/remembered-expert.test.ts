import { type Constellation, startConstellation, type Tenant } from '@expert-relay/constellation';
import { type LyingRelay, startLyingRelay } from '@expert-relay/testkit';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { makeRoot } from './crypto/index.ts';
import { createExpert } from './expert/index.ts';
import { createMemory, createRelay } from './index.ts';
import { quick } from './testing/quick.ts';

let world: Constellation;
let tenant: Tenant;
let liar: LyingRelay;

beforeAll(async () => {
  world = await startConstellation({ env: { RELAY_HUB_RETRY: '100ms' } });
  tenant = await world.makeTenant();
  liar = await startLyingRelay(world);
});
afterAll(async () => {
  await liar.stop();
  await world.stop();
});

async function askAndAnswer(
  memory: ReturnType<typeof createMemory>,
  root: Uint8Array,
  apiKey = tenant.consumerKey,
) {
  const relay = createRelay({ url: liar.url, apiKey, memory, timing: quick });
  const expert = createExpert({ url: world.gatewayUrl, apiKey: tenant.providerKey, root, timing: quick });
  try {
    const conversation = await relay.ask({ question: 'Is it you?' });
    await (await expert.request(conversation.requestId)).answer('It is me.');
    await conversation.waitForAnswer({ timeout: 60_000 });
    return conversation.verification;
  } finally {
    relay.stop();
    expert.stop();
  }
}

test('is remembered although the relay says that the key has become the key of somebody else', async () => {
  const [memory, root] = [createMemory(), makeRoot()];
  expect(await askAndAnswer(memory, root)).toBe('first-contact');
  liar.tell({
    answer(answer, { path }) {
      if (path === '/api/v1/whoami') answer.userId = crypto.randomUUID();
      return answer;
    },
  });
  expect(await askAndAnswer(memory, root)).toBe('known');
  await expect(askAndAnswer(memory, makeRoot())).rejects.toMatchObject({ code: 'unknown_expert' });
  liar.tell({});
});

test('belongs to the API key alone: another key of the same user meets the expert anew', async () => {
  const [memory, root] = [createMemory(), makeRoot()];
  expect(await askAndAnswer(memory, root)).toBe('first-contact');
  expect(await askAndAnswer(memory, makeRoot(), tenant.otherConsumerKey)).toBe('first-contact');
  expect(await askAndAnswer(memory, root)).toBe('known');
  await expect(askAndAnswer(memory, root, tenant.otherConsumerKey)).rejects.toMatchObject({
    code: 'unknown_expert',
  });
});

test('is the one that was written first, when two conversations meet an expert at once', async () => {
  const memory = createMemory();
  let asked = 0;
  let letBothGo = () => {};
  const both = new Promise<void>((resolve) => {
    letBothGo = resolve;
  });
  // Neither is known when the other is looked for.
  const slow = {
    ...memory,
    async get(name: string) {
      const known = await memory.get(name);
      asked += 1;
      if (asked === 2) letBothGo();
      await both;
      return known;
    },
  };
  const met = await Promise.allSettled([makeRoot(), makeRoot()].map((root) => askAndAnswer(slow, root)));
  expect(met.map((one) => (one.status === 'fulfilled' ? one.value : one.reason.code)).sort()).toEqual([
    'first-contact',
    'unknown_expert',
  ]);
});
