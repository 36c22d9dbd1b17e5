import { beforeAll, describe, expect, test } from '@jest/globals';
import { type AgentKeys, makeAgentKeys } from '../crypto/agent-keys.ts';
import { makeRoot, openExpertKeys } from '../crypto/index.ts';
import { digestSubmission } from '../crypto/submission.ts';
import { createMemoryStore, partOf } from '../store.ts';
import type { Head } from '../thread/page.ts';
import { AgentSide } from './agent-side.ts';
import { KnownExperts, type KnownExpertsOptions } from './known-experts.ts';

const requestId = crypto.randomUUID();
let keys: AgentKeys;
let submissionDigest: Awaited<ReturnType<typeof digestSubmission>>;
let head: Head;
let fingerprint: string;
let otherFingerprint: string;

beforeAll(async () => {
  const expert = await openExpertKeys(makeRoot());
  fingerprint = expert.fingerprint;
  otherFingerprint = (await openExpertKeys(makeRoot())).fingerprint;
  keys = await makeAgentKeys();
  submissionDigest = await digestSubmission({ refCode: 'HS-7KQ2M9XD', question: 'May I?' });
  const own = await expert.keysFor(requestId);
  const keySignature = await expert.signExchange({
    requestId,
    consumer: { sign: keys.signPublic, encrypt: keys.encryptPublic },
    providerEncrypt: own.encryptPublic,
    submission: submissionDigest,
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
    tags: [],
    closedBy: undefined,
    closeReason: undefined,
  };
});

type SideOptions = Partial<KnownExpertsOptions> & { acceptUnprotected?: boolean; isConfidential?: boolean };

function openSide(options: SideOptions = {}) {
  const { acceptUnprotected = false, isConfidential, here = createMemoryStore(), ...own } = options;
  const experts = new KnownExperts({
    given: undefined,
    acceptsNew: false,
    here,
    keyValues: here,
    ...own,
  });
  const asked = { requestId, refCode: 'HS-7KQ2M9XD', keys, submissionDigest, answerForm: undefined };
  return new AgentSide({ ...asked, experts, acceptUnprotected, isConfidential });
}

test('a conversation is not resumed for an agent that now names another expert', async () => {
  const side = openSide();
  await side.checkKeys(head);
  const exchange = side.exchange;
  if (!exchange) throw new Error('There is no exchange.');
  const resume = (given: string, of = exchange) => openSide({ given: [given] }).restore(of, undefined);
  await expect(resume(otherFingerprint)).rejects.toMatchObject({ reason: 'unknown_expert' });
  await expect(resume(fingerprint, { ...exchange, keySignature: undefined })).rejects.toMatchObject({
    reason: 'key_signature_missing',
  });
  await expect(resume(fingerprint)).resolves.toBeDefined();
});

test('after the keys were accepted, none of the keys and no signature may change or disappear', async () => {
  const side = openSide();
  const channel = await side.checkKeys(head);
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
    await expect(side.checkKeys({ ...head, ...change } as Head)).rejects.toMatchObject({
      reason: 'keys_changed',
    });
  }
  expect(await side.checkKeys(head)).toBe(channel);
});

test('an unsigned exchange gives no fingerprint to verify', async () => {
  const store = createMemoryStore();
  const side = openSide({ here: store, acceptUnprotected: true });
  await side.checkKeys({ ...head, keySignature: undefined });
  expect(side.exchange).toMatchObject({ fingerprint: undefined, verification: 'unverified' });
  expect(side.verify(fingerprint)).toBe(false);
  expect(await store.get('expert')).toBeUndefined();
});

test('a verified expert replaces the one that was met first', async () => {
  const store = createMemoryStore();
  const side = openSide({ here: store });
  await side.checkKeys(head);
  await store.set('expert', otherFingerprint);
  expect(side.verify(otherFingerprint)).toBe(false);
  expect(await store.get('expert')).toBe(otherFingerprint);
  expect(side.verify(fingerprint)).toBe(true);
  expect(side.exchange?.verification).toBe('known');
  expect(await store.get('expert')).toBe(fingerprint);
});

test('an unsigned exchange is refused at a first contact, and when the setting for it is off again', async () => {
  await expect(openSide().checkKeys({ ...head, keySignature: undefined })).rejects.toMatchObject({
    reason: 'key_signature_missing',
  });
  const side = openSide({ acceptUnprotected: true });
  await side.checkKeys({ ...head, keySignature: undefined });
  const { exchange } = side;
  if (!exchange) throw new Error('There is no exchange.');
  await expect(openSide().restore(exchange, undefined)).rejects.toMatchObject({
    reason: 'key_signature_missing',
  });
  const confidential = openSide({ acceptUnprotected: true, isConfidential: true });
  await expect(confidential.restore(exchange, undefined)).rejects.toMatchObject({
    reason: 'key_signature_missing',
  });
});

describe('a list of fingerprints', () => {
  test('admits each of its experts, and no other one', async () => {
    const { fingerprint: third } = await openExpertKeys(makeRoot());
    const side = openSide({ given: [otherFingerprint, fingerprint] });
    await side.checkKeys(head);
    expect(side.exchange?.verification).toBe('known');
    const unsigned = openSide({ given: [fingerprint], here: createMemoryStore() });
    await expect(unsigned.checkKeys({ ...head, keySignature: undefined })).rejects.toMatchObject({
      reason: 'key_signature_missing',
    });
    await expect(openSide({ given: [otherFingerprint, third] }).checkKeys(head)).rejects.toMatchObject({
      reason: 'unknown_expert',
    });
  });
});

describe('an API key that knows no expert yet', () => {
  const store = createMemoryStore();
  const keyValues = (key: string) => partOf(store, async () => key);

  test('accepts the expert whom another key knows at this relay, and then knows it', async () => {
    await openSide({ here: store, keyValues: keyValues('old') }).checkKeys(head);
    const side = openSide({ here: store, keyValues: keyValues('rotated') });
    await side.checkKeys(head);
    expect(side.exchange?.verification).toBe('known');
    expect(await keyValues('rotated').get('expert')).toBe(fingerprint);
  });

  test('accepts another expert only with the word of its user', async () => {
    const elsewhere = createMemoryStore();
    await elsewhere.set('expert:0', otherFingerprint);
    const options = { here: elsewhere, keyValues: partOf(elsewhere, async () => 'new') };
    await expect(openSide(options).checkKeys(head)).rejects.toMatchObject({ code: 'new_expert' });
    expect(await options.keyValues.get('expert')).toBeUndefined();
    const accepting = openSide({ ...options, acceptsNew: true });
    await accepting.checkKeys(head);
    expect(accepting.exchange?.verification).toBe('first-contact');
    // From now on it is known, without that word.
    const again = openSide(options);
    await again.checkKeys(head);
    expect(again.exchange?.verification).toBe('known');
  });

  test('accepts another expert that its user names once', async () => {
    const elsewhere = createMemoryStore();
    await elsewhere.set('expert:0', otherFingerprint);
    const options = { here: elsewhere, keyValues: partOf(elsewhere, async () => 'new') };
    await openSide({ ...options, given: [fingerprint] }).checkKeys(head);
    const again = openSide(options);
    await again.checkKeys(head);
    expect(again.exchange?.verification).toBe('known');
  });

  test('knows nothing of the experts at other relays', async () => {
    const side = openSide({ here: createMemoryStore(), keyValues: keyValues('other') });
    await side.checkKeys(head);
    expect(side.exchange?.verification).toBe('first-contact');
  });
});
