import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { submission } from '../black-box/samples.ts';
import { useRelay } from '../black-box/use-relay.ts';
import { row } from './contract.ts';

const setup = useRelay();
const count = async () => (await setup.alice.consumer.get('/api/v1/requests?limit=200')).json.requests.length;

const ways = [
  {
    way: 'the Idempotency-Key header',
    submit: (key: string, body: object) =>
      setup.alice.consumer.submit({ ...body }, { 'idempotency-key': key }),
  },
  {
    way: 'idempotencyKey in the body',
    submit: (key: string, body: object) => setup.alice.consumer.submit({ ...body, idempotencyKey: key }),
  },
];

describe.each(ways)(`${row('decisions', 'idempotency')}: by $way`, ({ submit }) => {
  test('the same submit again gives the first answer again', async () => {
    const [key, body, before] = [randomUUID(), submission(), await count()];
    const first = await submit(key, body);
    const second = await submit(key, body);
    expect(first.headers).not.toHaveProperty('idempotent-replayed');
    expect(second.status).toBe(201);
    expect(second.text).toBe(first.text);
    expect(second.headers['idempotent-replayed']).toBe('true');
    expect(await count()).toBe(before + 1);
  });

  test('even when the request has moved on', async () => {
    const [key, body] = [randomUUID(), submission()];
    const first = await submit(key, body);
    await setup.alice.consumer.post(`/api/v1/close/${first.json.requestId}`);
    expect((await submit(key, body)).text).toBe(first.text);
  });

  test('of ten at once one makes the request, all give its answer', async () => {
    const [key, body, before] = [randomUUID(), submission(), await count()];
    const answers = await Promise.all(Array.from({ length: 10 }, () => submit(key, body)));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers.filter(({ headers }) => headers['idempotent-replayed']).length).toBe(9);
    expect(await count()).toBe(before + 1);
  });

  test('another body is 422', async () => {
    const [key, body] = [randomUUID(), submission()];
    await submit(key, body);
    for (const change of [{ question: 'Another?' }, { messages: [] }, { plaintext: 'more' }]) {
      const answer = await submit(key, { ...body, ...change });
      expect(answer.status).toBe(422);
      expect(answer.json.error).toBe('idempotency_key_reused');
    }
  });

  test('an invalid submit uses nothing up', async () => {
    const key = randomUUID();
    expect((await submit(key, { messages: 5 })).status).toBe(400);
    expect((await submit(key, submission())).status).toBe(201);
  });

  test.each([
    ['empty', ''],
    ['of 256 characters', 'x'.repeat(256)],
  ])('a key that is %s is 400', async (_name, key) => {
    expect((await submit(key, submission())).status).toBe(400);
  });

  test('a key of 255 characters is fine', async () => {
    expect((await submit(randomUUID().padEnd(255, 'x'), submission())).status).toBe(201);
  });
});

test('header and body are two ways to say the same key', async () => {
  const [key, body] = [randomUUID(), submission()];
  const [header, member] = ways;
  const first = await header?.submit(key, body);
  const second = await member?.submit(key, body);
  expect(second?.text).toBe(first?.text);
});

test('the API key is no part of the body: after a rotation the same submit is known again', async () => {
  const agent = await setup.alice.newKey('consumer');
  const [idempotencyKey, body] = [randomUUID(), submission()];
  const first = await agent.submit({ ...body, idempotencyKey });
  const { key } = (await setup.alice.session.post(`/api/keys/${agent.keyId}/rotate`, {})).json;
  const second = await agent.submit({ ...body, idempotencyKey, apiKey: key });
  expect(second.text).toBe(first.text);
});

test('each API key has its own', async () => {
  const [idempotencyKey, body] = [randomUUID(), submission()];
  const first = await setup.alice.consumer.submit({ ...body, idempotencyKey });
  const second = await setup.alice.secondConsumer.submit({ ...body, idempotencyKey });
  expect(second.status).toBe(201);
  expect(second.json.requestId).not.toBe(first.json.requestId);
});

test('without a key every submit is a new request', async () => {
  const body = submission();
  const ids = [await setup.alice.consumer.newRequest(body), await setup.alice.consumer.newRequest(body)];
  expect(ids[0]?.requestId).not.toBe(ids[1]?.requestId);
});
