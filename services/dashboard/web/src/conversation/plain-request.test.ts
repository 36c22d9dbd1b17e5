import { randomUUID } from 'node:crypto';
import { type Constellation, startConstellation } from '@expert-relay/constellation';
import type { ExpertEvent } from '@expert-relay/sdk/expert';
import { signInDev } from '@expert-relay/testkit';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { untilPasses } from '../testing/until-passes.ts';
import { openPlainRequest } from './plain-request.ts';

let relay: Constellation;
let consumerKey: string;
let cookie: string;
const { fetch, crypto } = globalThis;
const stopped = new AbortController();

beforeAll(async () => {
  relay = await startConstellation();
  cookie = await signInDev(relay.gatewayUrl, 'ann');
  globalThis.fetch = (path, init) =>
    fetch(new URL(String(path), relay.gatewayUrl), { ...init, headers: { ...init?.headers, cookie } });
  const made = await globalThis.fetch('/api/keys', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'laptop agent', kind: 'consumer' }),
  });
  consumerKey = (await made.json()).key;
});
afterEach(() => {
  Object.defineProperty(globalThis, 'crypto', { value: crypto, configurable: true });
});
afterAll(async () => {
  stopped.abort();
  globalThis.fetch = fetch;
  await relay.stop();
});

/** A call of the agent. */
async function post(path: string, body: object): Promise<Record<string, string>> {
  const answer = await fetch(`${relay.gatewayUrl}/api/v1/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': consumerKey },
    body: JSON.stringify(body),
  });
  return answer.json() as Promise<Record<string, string>>;
}

const submit = async (members: object = {}): Promise<string> => {
  const asked = { apiKey: consumerKey, messages: [], question: 'May I?', plaintext: 'May I?', ...members };
  return (await post('help', asked)).requestId ?? '';
};

/** Opens a request on a page without cryptography, and collects its messages. */
async function open(requestId: string) {
  Object.defineProperty(globalThis, 'crypto', {
    value: { getRandomValues: crypto.getRandomValues.bind(crypto) },
    configurable: true,
  });
  const calls = new Set<(event: ExpertEvent) => void>();
  const request = await openPlainRequest({
    requestId,
    signal: stopped.signal,
    listen(call) {
      calls.add(call);
      return () => calls.delete(call);
    },
  });
  const texts: string[] = [];
  const reading = (async () => {
    for await (const { role, text } of request.messages) texts.push(`${role}: ${text}`);
  })();
  const notify = () => {
    for (const call of calls) call({ type: 'unknown', isMissed: true });
  };
  return { request, texts, reading, notify };
}

test('a plain request is read, answered and closed without cryptography', async () => {
  const requestId = await submit();
  const { request, texts, reading, notify } = await open(requestId);
  expect(request).toMatchObject({
    agent: 'laptop agent',
    question: 'May I?',
    status: 'pending',
    encrypted: false,
  });
  const { messageId, isSent } = await request.answer('Yes.', { plaintext: true });
  expect(isSent).toBe(true);
  expect(messageId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  await untilPasses(() => expect(texts).toEqual(['provider: Yes.']));
  await post(`message/${requestId}`, { role: 'consumer', plaintext: 'Now?' });
  notify();
  await untilPasses(() => expect(texts).toEqual(['provider: Yes.', 'consumer: Now?']));
  expect(request.status).toBe('responded');
  await request.close({ reason: 'It is gone.' });
  await reading;
  expect(request).toMatchObject({ status: 'closed', closedBy: 'provider', closeReason: 'It is gone.' });
  await expect(request.answer('Too late.')).rejects.toMatchObject({ code: 'conversation_closed' });
});

test('an answer whose acknowledgement was lost is stored once after it is sent again', async () => {
  const { request, texts } = await open(await submit());
  const connected = globalThis.fetch;
  globalThis.fetch = async (path, init) => {
    await connected(path, init);
    throw new TypeError('away');
  };
  await expect(request.answer('Yes.')).rejects.toMatchObject({ code: 'unreachable' });
  globalThis.fetch = connected;
  await request.answer('Yes.');
  await request.refresh();
  await untilPasses(() => expect(texts).toEqual(['provider: Yes.']));
});

test.each([
  [{ action: 'accept', content: { pods: 3 } } as const, 'accepted', 'Accepted.\nPods: 3\nSoon.'],
  [{ action: 'decline' } as const, 'declined', 'Declined.\nSoon.'],
])('a form is decided without cryptography: %j', async (decision, state, words) => {
  const form = { type: 'object', properties: { pods: { type: 'integer', title: 'Pods' } } };
  const { request, texts } = await open(await submit({ answerForm: JSON.stringify(form) }));
  expect(request).toMatchObject({ form: { form }, decision: 'open' });
  await request.answer('Soon.', { decision });
  await request.refresh();
  await untilPasses(() => expect(texts).toEqual([`provider: ${words}`]));
  expect(request.decision).toBe(state);
});

/** What the agent is handed, as docs/forms.md says it. */
const accept = (pods: unknown) => ({ action: 'accept', content: { pods } });
test.each<[string, readonly (object | string)[], string]>([
  ['a decline comes before an acceptance', [{ action: 'decline' }, accept(3)], 'declined'],
  ['so it does after it', [accept(3), { action: 'decline' }], 'declined'],
  ['two different contents are a conflict', [accept(3), accept(4)], 'conflict'],
  ['the same content twice is none', [accept(3), accept(3)], 'accepted'],
  ['a content that is not valid does not count', [accept('three')], 'open'],
  ['nor does one that cannot be read', [accept(3), '{"action":"accept"}'], 'accepted'],
])('of the answers by other devices, %s', async (_, answers, state) => {
  const form = { type: 'object', properties: { pods: { type: 'integer', title: 'Pods' } } };
  const requestId = await submit({ answerForm: JSON.stringify(form) });
  for (const answer of answers) {
    const decidedAt = '2026-11-26T12:00:00Z';
    const json = typeof answer === 'string' ? answer : JSON.stringify({ ...answer, decidedAt });
    const sent = await globalThis.fetch(`/api/requests/${requestId}/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ plaintext: 'Said.', answer: json, messageId: randomUUID() }),
    });
    expect(sent.status).toBe(201);
  }
  const { request, texts } = await open(requestId);
  await untilPasses(() => expect(texts).toHaveLength(answers.length));
  expect(request.decision).toBe(state);
});

test('a form that this version cannot show can be declined', async () => {
  const answerForm = JSON.stringify({ type: 'object', properties: { a: { type: 'object' } } });
  const { request } = await open(await submit({ answerForm }));
  expect(request.form).toMatchObject({ form: undefined });
  await request.answer('', { decision: { action: 'decline' } });
  await request.refresh();
  expect(request.decision).toBe('declined');
});

test('an unknown request and an unreachable relay are different errors', async () => {
  await expect(open('AAAAAAAAAAAAAAAAAAAAAA')).rejects.toMatchObject({ code: 'not_found' });
  const { request } = await open(await submit());
  const connected = globalThis.fetch;
  globalThis.fetch = () => Promise.reject(new TypeError('away'));
  try {
    await expect(request.answer('Yes.')).rejects.toMatchObject({ code: 'unreachable' });
  } finally {
    globalThis.fetch = connected;
  }
});
