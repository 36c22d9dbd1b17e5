import {
  type Constellation,
  type LyingRelay,
  startConstellation,
  startLyingRelay,
  type Tenant,
} from '@expert-relay/testkit';
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
    await conversation.waitForAnswer({ timeout: 10_000 });
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

test('is the same for all keys of an expert, those that came later too', async () => {
  const [memory, root] = [createMemory(), makeRoot()];
  expect(await askAndAnswer(memory, root)).toBe('first-contact');
  expect(await askAndAnswer(memory, root, tenant.otherConsumerKey)).toBe('known');
  await expect(askAndAnswer(memory, makeRoot(), tenant.otherConsumerKey)).rejects.toMatchObject({
    code: 'unknown_expert',
  });
});
