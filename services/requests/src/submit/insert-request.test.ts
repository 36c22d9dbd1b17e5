import { randomUUID } from 'node:crypto';
import { makeRefCode, makeRequestId } from '@expert-relay/db';
import { makeConsumer, type OpenDatabase, openTestDatabase } from '@expert-relay/db/testing';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { findRepeated, idempotencyKeyOf } from './idempotency.ts';
import { insertRequest, type NewRequest } from './insert-request.ts';

let database: OpenDatabase;
let draft: Omit<NewRequest, 'id' | 'refCode' | 'callId'>;

beforeAll(async () => {
  database = await openTestDatabase();
  const { userId, apiKeyId } = await makeConsumer(database.prisma);
  draft = {
    userId,
    consumerKeyId: apiKeyId,
    ttl: 60_000,
    submission: { messages: [], question: undefined, plaintext: 'help', tags: undefined, follows: undefined },
    idempotency: undefined,
  };
});

afterAll(() => database.stop());

const newRequest = (given: Partial<NewRequest> = {}): NewRequest => ({
  ...draft,
  id: makeRequestId(),
  refCode: makeRefCode(),
  callId: randomUUID(),
  ...given,
});
const count = () => database.prisma.helpRequest.count();

test('a repeated call inserts nothing and finds its request', async () => {
  const first = newRequest();
  expect(await insertRequest(database.query, first)).toMatchObject({ id: first.id });
  const again = newRequest({ callId: first.callId });
  expect(await insertRequest(database.query, again)).toBeUndefined();
  expect(await findRepeated(database.query, again)).toMatchObject({ id: first.id });
});

test('when a reference code exists already, nothing is kept, so that another attempt can follow', async () => {
  const first = newRequest();
  await insertRequest(database.query, first);
  const before = await count();
  const idempotency = idempotencyKeyOf(randomUUID(), draft.submission);
  for (const given of [{}, { idempotency }]) {
    const request = newRequest({ refCode: first.refCode, ...given });
    expect(await insertRequest(database.query, request)).toBeUndefined();
    expect(await findRepeated(database.query, request)).toBeUndefined();
    expect(await count()).toBe(before);
  }
  expect(await insertRequest(database.query, newRequest({ idempotency }))).toBeDefined();
});

test('a repeated submit gets the first response again, also after the content was erased', async () => {
  const submission = {
    ...draft.submission,
    answerForm: '{"type":"object"}',
    agentName: 'build agent',
    agentVersions: '4',
  };
  const idempotency = idempotencyKeyOf(randomUUID(), submission);
  const first = await insertRequest(database.query, newRequest({ submission, idempotency }));
  expect(first).toMatchObject({
    answerForm: '{"type":"object"}',
    agentName: 'build agent',
    agentVersions: '4',
  });
  const repeated = () => findRepeated(database.query, newRequest({ submission, idempotency }));
  expect(await repeated()).toEqual(first);
  await database.query`
    UPDATE help_requests SET answer_form = NULL, form_kind = NULL, agent_name = NULL, agent_versions = NULL, erased_at = now()
    WHERE id = ${first?.id}`;
  expect(await repeated()).toEqual(first);
});

test('an idempotency key can be used again a day after its request would have expired', async () => {
  const idempotency = idempotencyKeyOf(randomUUID(), draft.submission);
  const first = newRequest({ idempotency });
  await insertRequest(database.query, first);
  for (const age of ['23 hours', '24 hours 1 second']) {
    expect(await insertRequest(database.query, newRequest({ idempotency }))).toBeUndefined();
    await database.query`UPDATE help_requests SET expires_at = now() - ${age}::interval WHERE id = ${first.id}`;
  }
  const next = newRequest({ idempotency });
  expect(await insertRequest(database.query, next)).toMatchObject({ id: next.id });
});
