import { expect, test } from '@jest/globals';
import { type AgentKeys, makeAgentKeys } from '../crypto/agent-keys.ts';
import { toBase64 } from '../crypto/base64.ts';
import { makeRoot, openExpertKeys } from '../crypto/index.ts';
import { createMemoryStore } from '../store.ts';
import type { Head } from '../thread/page.ts';
import { ExpertSide } from './expert-side.ts';
import { RequestMemory } from './request-memory.ts';

const headOf = (requestId: string, agent: AgentKeys): Head => ({
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
  tags: [],
  closedBy: undefined,
  closeReason: undefined,
});

test("a pick-up that ends after another device's pick-up was read keeps the messages that were read in between", async () => {
  const [expert, agent, requestId] = [
    await openExpertKeys(makeRoot()),
    await makeAgentKeys(),
    crypto.randomUUID(),
  ];
  const asked = headOf(requestId, agent);
  const { providerSignPubKey, providerEncryptPubKey, keySignature } = await new ExpertSide({
    requestId,
    expert,
    requestMemory: new RequestMemory(createMemoryStore()),
  }).pickUp(asked);
  const pickedUp = {
    ...asked,
    providerKeys: { sign: providerSignPubKey, encrypt: providerEncryptPubKey },
    keySignature,
  };

  let signatures = 0;
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const side = new ExpertSide({
    requestId,
    requestMemory: new RequestMemory(createMemoryStore()),
    expert: {
      ...expert,
      async signExchange(exchange) {
        signatures += 1;
        if (signatures === 1) await released;
        return await expert.signExchange(exchange);
      },
    },
  });
  const pickingUp = side.pickUp(asked);
  const checking = side.checkKeys(pickedUp);
  setTimeout(release, 20);
  const channel = await checking;
  await pickingUp;
  expect(await side.checkKeys(pickedUp)).toBe(channel);
});

test("each of the agent's keys is remembered from the first read on", async () => {
  const [expert, agent, other] = [
    await openExpertKeys(makeRoot()),
    await makeAgentKeys(),
    await makeAgentKeys(),
  ];
  const options = {
    requestId: crypto.randomUUID(),
    expert,
    requestMemory: new RequestMemory(createMemoryStore()),
  };
  const asked = headOf(options.requestId, agent);
  await new ExpertSide(options).checkKeys(asked);
  for (const change of [{ sign: other.signPublic.pem }, { encrypt: other.encryptPublic.pem }]) {
    const side = new ExpertSide(options);
    const consumerKeys = { ...asked.consumerKeys, ...change } as Head['consumerKeys'];
    await expect(side.checkKeys({ ...asked, consumerKeys })).rejects.toMatchObject({
      reason: 'keys_changed',
    });
  }
  await expect(new ExpertSide(options).checkKeys(asked)).resolves.toBeUndefined();
});

test('what another client has sent is missed in lists that are read afterwards, and not in earlier ones', async () => {
  const [expert, agent] = [await openExpertKeys(makeRoot()), await makeAgentKeys()];
  const requestMemory = new RequestMemory(createMemoryStore());
  const options = { requestId: crypto.randomUUID(), expert, requestMemory };
  const [listed = '', sent = ''] = [1, 2].map((byte) => toBase64(new Uint8Array(32).fill(byte)));
  const stateOf = (seen: readonly string[]) => ({
    seen: seen.map((hash) => [hash, 0] as const),
    ends: seen,
    sealed: [],
    unlisted: [],
  });
  const [one, other] = [new ExpertSide(options), new ExpertSide(options)];
  for (const side of [one, other]) await side.checkKeys(headOf(options.requestId, agent));
  await other.rememberEnds(stateOf([sent]));
  // It has read its list before, and is still decrypting it.
  await one.rememberEnds(stateOf([listed]));
  await expect(one.checkHistory(stateOf([listed]))).resolves.toBeUndefined();
  expect(await one.hasUnread(stateOf([listed]))).toBe(true);
  await one.readStore();
  await expect(one.checkHistory(stateOf([listed]))).rejects.toMatchObject({ reason: 'message_missing' });
  await expect(one.checkHistory(stateOf([listed, sent]))).resolves.toBeUndefined();
});

test('the last messages are remembered once the relay has listed or accepted them', async () => {
  const [expert, agent] = [await openExpertKeys(makeRoot()), await makeAgentKeys()];
  const requestMemory = new RequestMemory(createMemoryStore());
  const options = { requestId: crypto.randomUUID(), expert, requestMemory };
  const [listed = '', accepted = '', sealed = ''] = [1, 2, 3].map((byte) =>
    toBase64(new Uint8Array(32).fill(byte)),
  );
  const stateOf = (seen: readonly string[], unlisted: readonly string[]) => ({
    seen: seen.map((hash) => [hash, 0] as const),
    ends: seen,
    sealed: unlisted,
    unlisted,
  });
  const remembered = async () => (await requestMemory.recall(options.requestId))?.ends;

  const side = new ExpertSide(options);
  await side.checkKeys(headOf(options.requestId, agent));
  await side.checkHistory(stateOf([sealed], [sealed]));
  expect(await remembered()).toEqual([]);
  await side.rememberEnds(stateOf([accepted], []));
  await side.checkHistory(stateOf([listed, accepted, sealed], [accepted, sealed]));
  expect(await remembered()).toEqual([listed, accepted]);

  // The remembered messages prove an earlier pick-up.
  const again = new ExpertSide(options);
  await again.readStore();
  await expect(again.checkKeys(headOf(options.requestId, agent))).rejects.toMatchObject({
    reason: 'keys_changed',
  });
  await expect(again.checkHistory(stateOf([listed], []))).rejects.toMatchObject({
    reason: 'message_missing',
  });
  await expect(again.checkHistory(stateOf([], []))).rejects.toMatchObject({ reason: 'keys_changed' });
  await expect(again.checkHistory(stateOf([listed, accepted], []))).resolves.toBeUndefined();
});
