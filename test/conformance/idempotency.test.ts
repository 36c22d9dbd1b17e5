import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { submission } from '../black-box/samples.ts';
import { useRelay } from '../black-box/use-relay.ts';
import { row } from './contract.ts';

const setup = useRelay();
const count = async () => (await setup.alice.consumer.get('/api/v1/requests?limit=200')).json.requests.length;

const { consumerSignPubKey, consumerEncryptPubKey } = submission();
const optionalMembers = {
  question: 'Which?',
  answerForm: '{"type":"object"}',
  agentName: 'an agent',
  agentVersions: '4',
  expiresIn: 3_600,
  tags: ['a tag'],
  consumerSignPubKey,
  consumerEncryptPubKey,
};
const withoutMembers = Object.fromEntries(Object.keys(optionalMembers).map((name) => [name, undefined]));

const variants = [
  {
    member: 'the Idempotency-Key header',
    submit: (key: string, body: object) =>
      setup.alice.consumer.submit({ ...body }, { 'idempotency-key': key }),
  },
  {
    member: 'idempotencyKey in the body',
    submit: (key: string, body: object) => setup.alice.consumer.submit({ ...body, idempotencyKey: key }),
  },
];

describe.each(variants)(`${row('decisions', 'idempotency')}: by $member`, ({ submit }) => {
  test('the same submit again returns the first response', async () => {
    const [key, body, before] = [randomUUID(), submission(), await count()];
    const first = await submit(key, body);
    const second = await submit(key, body);
    expect(first.headers).not.toHaveProperty('idempotent-replayed');
    expect(second.status).toBe(201);
    expect(second.text).toBe(first.text);
    expect(second.headers['idempotent-replayed']).toBe('true');
    expect(await count()).toBe(before + 1);
  });

  test('the same submit again returns the first response, after the request was closed', async () => {
    const [key, body] = [randomUUID(), submission()];
    const first = await submit(key, body);
    await setup.alice.consumer.post(`/api/v1/close/${first.json.requestId}`);
    expect((await submit(key, body)).text).toBe(first.text);
  });

  test('of ten identical submits at once, one creates the request, and all return its response', async () => {
    const [key, body, before] = [randomUUID(), submission(), await count()];
    const responses = await Promise.all(Array.from({ length: 10 }, () => submit(key, body)));
    expect(new Set(responses.map(({ text }) => text)).size).toBe(1);
    expect(responses.filter(({ headers }) => headers['idempotent-replayed']).length).toBe(9);
    expect(await count()).toBe(before + 1);
  });

  test('another body is 422', async () => {
    const [key, body] = [randomUUID(), submission()];
    await submit(key, body);
    for (const change of [{ question: 'Another?' }, { messages: [] }, { plaintext: 'more' }]) {
      const response = await submit(key, { ...body, ...change });
      expect(response.status).toBe(422);
      expect(response.json.error).toBe('idempotency_key_reused');
    }
  });

  test.each(Object.keys(optionalMembers))('%s: null counts as missing', async (name) => {
    const [key, body] = [randomUUID(), { ...withoutMembers, messages: [], plaintext: 'May I?' }];
    const first = await submit(key, body);
    const second = await submit(key, { ...body, [name]: null });
    expect([second.status, second.text]).toEqual([201, first.text]);
    const other = randomUUID();
    const withNull = await submit(other, { ...body, [name]: null });
    expect((await submit(other, body)).text).toBe(withNull.text);
    expect((await submit(other, { ...body, ...optionalMembers })).status).toBe(422);
  });

  test('an invalid submit does not use its key', async () => {
    const key = randomUUID();
    expect((await submit(key, { messages: 5 })).status).toBe(400);
    expect((await submit(key, submission())).status).toBe(201);
  });

  test.each([
    ['empty', ''],
    ['of 256 characters', 'x'.repeat(256)],
  ])('a key that is %s: 400', async (_name, key) => {
    expect((await submit(key, submission())).status).toBe(400);
  });

  test('a key of 255 characters is accepted', async () => {
    expect((await submit(randomUUID().padEnd(255, 'x'), submission())).status).toBe(201);
  });
});

test('the same key in the header and in the body: the first response is returned', async () => {
  const [key, body] = [randomUUID(), submission()];
  const [header, member] = variants;
  const first = await header?.submit(key, body);
  const second = await member?.submit(key, body);
  expect(second?.text).toBe(first?.text);
});

describe('a key outside ASCII', () => {
  const key = () => `${randomUUID()} schlüssel 鍵`;

  test.each(['utf8', 'latin1'] as const)('is 400 in the header, as %s', async (encoding) => {
    // Node writes a header as latin1.
    const bytes = Buffer.from('schlüssel', encoding).toString('latin1');
    const response = await setup.alice.consumer.submit(submission(), { 'idempotency-key': bytes });
    expect([response.status, response.json.fields?.[0]?.path]).toEqual([400, 'Idempotency-Key']);
  });

  test('is accepted in the body', async () => {
    const [idempotencyKey, body] = [key(), submission()];
    const first = await setup.alice.consumer.submit({ ...body, idempotencyKey });
    const second = await setup.alice.consumer.submit({ ...body, idempotencyKey });
    expect([second.status, second.text]).toEqual([201, first.text]);
  });
});

test('the same submit with the new secret of its API key returns the first response', async () => {
  const agent = await setup.alice.newKey('consumer');
  const [idempotencyKey, body] = [randomUUID(), submission()];
  const first = await agent.submit({ ...body, idempotencyKey });
  const { key } = (await setup.alice.session.post(`/api/keys/${agent.keyId}/rotate`, {})).json;
  const second = await agent.submit({ ...body, idempotencyKey, apiKey: key });
  expect(second.text).toBe(first.text);
});

test('the same idempotency key with another API key creates another request', async () => {
  const [idempotencyKey, body] = [randomUUID(), submission()];
  const first = await setup.alice.consumer.submit({ ...body, idempotencyKey });
  const second = await setup.alice.secondConsumer.submit({ ...body, idempotencyKey });
  expect(second.status).toBe(201);
  expect(second.json.requestId).not.toBe(first.json.requestId);
});

test('without an idempotency key every submit creates a request', async () => {
  const body = submission();
  const ids = [await setup.alice.consumer.newRequest(body), await setup.alice.consumer.newRequest(body)];
  expect(ids[0]?.requestId).not.toBe(ids[1]?.requestId);
});
