import { beforeAll, expect, test } from '@jest/globals';
import { type AgentKeys, digestSubmission, makeAgentKeys, makeRoot, openExpert } from '../crypto/index.ts';
import { createMemory, type Memory } from '../memory.ts';
import type { Head } from '../thread/page.ts';
import { AgentSide } from './agent-side.ts';

const requestId = crypto.randomUUID();
let keys: AgentKeys;
let submission: Awaited<ReturnType<typeof digestSubmission>>;
let head: Head;
let fingerprint: string;
let otherFingerprint: string;

beforeAll(async () => {
  const expert = await openExpert(makeRoot());
  fingerprint = expert.fingerprint;
  otherFingerprint = (await openExpert(makeRoot())).fingerprint;
  keys = await makeAgentKeys();
  submission = await digestSubmission({ refCode: 'HS-7KQ2M9XD', question: 'May I?' });
  const own = await expert.keysFor(requestId);
  const keySignature = await expert.signExchange({
    requestId,
    consumer: { sign: keys.signPublic, encrypt: keys.encryptPublic },
    providerEncrypt: own.encryptPublic,
    submission,
  });
  head = {
    requestId,
    refCode: 'HS-7KQ2M9XD',
    status: 'responded',
    createdAt: '2026-01-01T00:00:00Z',
    expiresAt: '2026-01-02T00:00:00Z',
    responseCount: 0,
    asked: {},
    consumerKeys: { sign: keys.signPublic.pem, encrypt: keys.encryptPublic.pem },
    providerKeys: { sign: own.signPublic.pem, encrypt: own.encryptPublic.pem },
    keySignature,
    erasedAt: undefined,
  };
});

function openSide({ given, memory = createMemory() }: { given?: string; memory?: Memory } = {}) {
  const expert = {
    given,
    recall: () => memory.get('expert'),
    meet: (met: string) => memory.remember('expert', met),
    trust: (trusted: string) => memory.set('expert', trusted),
  };
  return new AgentSide({ requestId, keys, submission, expert, acceptsPlaintext: false });
}

test('a conversation is not resumed for an agent that now names another expert', async () => {
  const side = openSide();
  await side.agree(head);
  const exchange = side.exchange;
  if (!exchange) throw new Error('There is no exchange.');
  const resume = (given: string, of = exchange) => openSide({ given }).restore(of, undefined);
  await expect(resume(otherFingerprint)).rejects.toMatchObject({ code: 'unknown_expert' });
  await expect(resume(fingerprint, { ...exchange, fingerprint: undefined })).rejects.toMatchObject({
    code: 'unknown_expert',
  });
  await expect(resume(fingerprint)).resolves.toBeDefined();
});

test('after the keys were accepted, none of the keys and no signature may change or disappear', async () => {
  const side = openSide();
  const channel = await side.agree(head);
  const other = await makeAgentKeys();
  const [sign, encrypt] = [other.signPublic.pem, other.encryptPublic.pem];
  for (const change of [
    { keySignature: undefined },
    { keySignature: `A${head.keySignature}` },
    { providerKeys: undefined },
    { providerKeys: { ...head.providerKeys, sign } },
    { providerKeys: { ...head.providerKeys, encrypt } },
    { consumerKeys: undefined },
    { consumerKeys: { ...head.consumerKeys, sign } },
    { consumerKeys: { ...head.consumerKeys, encrypt } },
  ]) {
    await expect(side.agree({ ...head, ...change } as Head)).rejects.toMatchObject({ code: 'keys_changed' });
  }
  expect(await side.agree(head)).toBe(channel);
});

test('an unsigned exchange gives no fingerprint to verify', async () => {
  const memory = createMemory();
  const side = openSide({ memory });
  await side.agree({ ...head, keySignature: undefined });
  expect(side.exchange).toMatchObject({ fingerprint: undefined, verification: 'unverified' });
  expect(side.verify(fingerprint)).toBe(false);
  expect(await memory.get('expert')).toBeUndefined();
});

test('a verified expert replaces the one that was met first', async () => {
  const memory = createMemory();
  const side = openSide({ memory });
  await side.agree(head);
  await memory.set('expert', otherFingerprint);
  expect(side.verify(otherFingerprint)).toBe(false);
  expect(await memory.get('expert')).toBe(otherFingerprint);
  expect(side.verify(fingerprint)).toBe(true);
  expect(side.exchange?.verification).toBe('known');
  expect(await memory.get('expert')).toBe(fingerprint);
});
