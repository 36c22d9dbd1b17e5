import { type Constellation, startConstellation } from '@expert-relay/constellation';
import { eventually } from '@expert-relay/testkit';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { defaultTiming } from './client-options.ts';
import { createExpert } from './expert/index.ts';
import { createRelay } from './index.ts';

let world: Constellation;

beforeAll(async () => {
  world = await startConstellation({ env: { RELAY_HUB_RETRY: '100ms' } });
});
afterAll(async () => world.stop());

test('a question that was asked before, under a name of its own, gives the answer that is there at once', async () => {
  const tenant = await world.makeTenant();
  // Nothing is read for being due: only an event, or the beginning, has it read.
  const timing = { ...defaultTiming, poll: 600_000 };
  const relay = createRelay({ url: world.gatewayUrl, apiKey: tenant.consumerKey, timing });
  const expert = createExpert({ url: world.gatewayUrl, apiKey: tenant.providerKey });
  const question = { question: 'Once more?', encrypted: false, idempotencyKey: crypto.randomUUID() };
  const first = await relay.ask(question);
  await (await expert.request(first.requestId)).answer('Once.');
  // A stream that has a place, and stays open.
  const other = await relay.ask({ question: 'Another?', encrypted: false });
  const answers: string[] = [];
  const waiting = (async () => {
    for await (const { text } of other) answers.push(text);
  })().catch(() => {});
  await (await expert.request(other.requestId)).answer('Another.');
  await eventually('the other answer', () => answers.length === 1);
  const again = await relay.ask(question);
  expect(again.requestId).toBe(first.requestId);
  expect((await again.waitForAnswer({ timeout: 60_000 })).text).toBe('Once.');
  relay.stop();
  expert.stop();
  await waiting;
});
