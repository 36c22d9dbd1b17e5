import { expect, test } from '@jest/globals';
import { makeAgentKeys, makeRoot, openExpert } from '../crypto/index.ts';
import { createMemory } from '../memory.ts';
import type { Head } from '../thread/page.ts';
import { ExpertSide } from './expert-side.ts';

test('a pick-up that ends after another device was seen to pick up does not forget what was read since', async () => {
  const [expert, agent, requestId] = [
    await openExpert(makeRoot()),
    await makeAgentKeys(),
    crypto.randomUUID(),
  ];
  const asked: Head = {
    requestId,
    refCode: 'HS-7KQ2M9XD',
    status: 'pending',
    createdAt: '2026-01-01T00:00:00Z',
    expiresAt: '2026-01-02T00:00:00Z',
    responseCount: 0,
    asked: {},
    consumerKeys: { sign: agent.signPublic.pem, encrypt: agent.encryptPublic.pem },
    providerKeys: undefined,
    keySignature: undefined,
    erasedAt: undefined,
  };
  const { providerSignPubKey, providerEncryptPubKey, keySignature } = await new ExpertSide({
    requestId,
    expert,
    memory: createMemory(),
  }).pickUp(asked);
  const pickedUp: Head = {
    ...asked,
    providerKeys: { sign: providerSignPubKey, encrypt: providerEncryptPubKey },
    keySignature,
  };

  let signatures = 0;
  let letGo = () => {};
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const side = new ExpertSide({
    requestId,
    memory: createMemory(),
    expert: {
      ...expert,
      async signExchange(exchange) {
        signatures += 1;
        if (signatures === 1) await held;
        return await expert.signExchange(exchange);
      },
    },
  });
  const pickingUp = side.pickUp(asked);
  const agreeing = side.agree(pickedUp);
  setTimeout(letGo, 20);
  const channel = await agreeing;
  await pickingUp;
  expect(await side.agree(pickedUp)).toBe(channel);
});
