import { randomUUID } from 'node:crypto';
import { type Constellation, startConstellation, type Tenant } from '@expert-relay/constellation';
import { openStream } from '@expert-relay/testkit';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ask, providerKeys, submit, tally, textMessage, times } from './ask.ts';

let relay: Constellation;
let tenant: Tenant;

beforeAll(async () => {
  relay = await startConstellation();
  tenant = await relay.makeTenant();
});
afterAll(() => relay.stop());

const send = (requestId: string, key: string, body: unknown) =>
  ask(relay, 'POST', `/api/v1/message/${requestId}`, { key, body });
const conversation = (requestId: string) =>
  ask(relay, 'GET', `/api/v1/messages/${requestId}`, { key: tenant.providerKey }).then(({ body }) => body);

test('fifty parallel sends: all are stored, numbered without a gap, and counted once', async () => {
  const requestId = await submit(relay, tenant);
  const replies = await times(50, (index) =>
    index % 2
      ? send(requestId, tenant.providerKey, textMessage('provider', `answer ${index}`))
      : send(requestId, tenant.consumerKey, textMessage('consumer', `question ${index}`)),
  );
  expect(tally(replies)).toEqual({ 201: 50 });

  const { messages, responseCount } = await conversation(requestId);
  const seqs = (messages as { seq: number }[]).map(({ seq }) => seq);
  expect(seqs).toEqual(Array.from({ length: 50 }, (_, index) => index + 2));
  expect(responseCount).toBe(25);
});

test('one message sent twenty times in parallel: it is stored once, with one event, and all calls get the same response', async () => {
  const requestId = await submit(relay, tenant);
  const stream = await openStream(`${relay.hubUrl}/?topic=/svc/requests/${requestId}`);
  const message = textMessage('provider');
  const replies = await times(20, () => send(requestId, tenant.providerKey, message));
  expect(tally(replies)).toEqual({ 200: 19, 201: 1 });
  expect(new Set(replies.map(({ body }) => body.createdAt)).size).toBe(1);

  const last = textMessage('provider');
  await send(requestId, tenant.providerKey, last);
  await stream.next({ messageId: last.messageId });
  expect(stream.events).toHaveLength(2);
  await stream.close();
  expect((await conversation(requestId)).responseCount).toBe(2);
});

test('one messageId with twenty different bodies: one is stored, the others are refused', async () => {
  const requestId = await submit(relay, tenant);
  const messageId = randomUUID();
  const replies = await times(20, (index) =>
    send(requestId, tenant.providerKey, { role: 'provider', plaintext: `${index}`, messageId }),
  );
  expect(tally(replies)).toEqual({ 201: 1, 409: 19 });
  expect((await conversation(requestId)).messages).toHaveLength(1);
});

test('twenty parallel key exchanges: the first one and its repetitions succeed, the others are refused', async () => {
  const requestId = await submit(relay, tenant);
  const [one, other] = [providerKeys(), providerKeys()];
  const replies = await times(20, (index) =>
    ask(relay, 'POST', `/api/v1/key-exchange/${requestId}`, {
      key: tenant.providerKey,
      body: index % 2 ? one : other,
    }),
  );
  expect(tally(replies)).toEqual({ 200: 10, 409: 10 });
  const { providerSignPubKey } = await conversation(requestId);
  const winner = replies.findIndex(({ status }) => status === 200) % 2 ? one : other;
  expect(providerSignPubKey).toBe(winner.providerSignPubKey);
});

test('a close in parallel with thirty sends: accepted messages are stored and counted, none comes after the close', async () => {
  for (let round = 0; round < 10; round++) {
    const requestId = await submit(relay, tenant);
    const [closed, ...sent] = await Promise.all([
      ask(relay, 'POST', `/api/v1/close/${requestId}`, { key: tenant.consumerKey }),
      ...Array.from({ length: 30 }, () => send(requestId, tenant.providerKey, textMessage('provider'))),
    ]);
    expect(closed?.status).toBe(200);
    const accepted = sent.filter(({ status }) => status === 201 || status === 200).length;
    expect(sent.filter(({ status }) => status === 409)).toHaveLength(30 - accepted);
    const { messages, responseCount, status } = await conversation(requestId);
    expect({ kept: (messages as unknown[]).length, responseCount, status }).toEqual({
      kept: accepted,
      responseCount: accepted,
      status: 'closed',
    });
  }
});

test('twenty parallel closes: one time, one event', async () => {
  const requestId = await submit(relay, tenant);
  const stream = await openStream(`${relay.hubUrl}/?topic=/svc/requests/${requestId}`);
  const replies = await times(20, (index) =>
    ask(relay, 'POST', `/api/v1/close/${requestId}`, {
      key: index % 2 ? tenant.consumerKey : tenant.providerKey,
    }),
  );
  expect(tally(replies)).toEqual({ 200: 20 });
  expect(new Set(replies.map(({ body }) => body.closedAt)).size).toBe(1);
  await stream.next({ type: 'request_closed' });
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(stream.events).toHaveLength(1);
  await stream.close();
});

test('one submit sent twenty times in parallel with one Idempotency-Key: one request, one event', async () => {
  const stream = await openStream(`${relay.hubUrl}/?topic=/svc/providers/${tenant.userId}`, {
    headers: { 'x-api-key': tenant.providerKey },
  });
  const body = { apiKey: tenant.consumerKey, messages: [], plaintext: 'once', question: randomUUID() };
  const headers = { 'idempotency-key': randomUUID() };
  const replies = await times(20, () => ask(relay, 'POST', '/api/v1/help', { body, headers }));
  expect(tally(replies)).toEqual({ 201: 20 });
  expect(new Set(replies.map(({ body: { requestId } }) => requestId)).size).toBe(1);

  const after = { ...body, question: randomUUID() };
  await ask(relay, 'POST', '/api/v1/help', { body: after });
  await stream.next({ question: after.question });
  expect(stream.events.filter(({ data }) => JSON.parse(data).question === body.question)).toHaveLength(1);
  await stream.close();
});
