import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { captureLogs, eventually, testServers, watchOpenHandles } from '@expert-relay/testkit';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { readConfig } from '../config.ts';
import { countRequests } from '../testing/count-requests.ts';
import { createTestSetup, type TestSetup } from '../testing/create-test-setup.ts';
import { readMetric } from '../testing/read-metric.ts';
import { seedEnded } from '../testing/seed-ended.ts';
import { seedRequests } from '../testing/seed-requests.ts';
import { eraseContent } from './remove-batch.ts';

let assertNothingLeftOpen: () => Promise<void>;
const { databaseUrl: server, redisUrl } = testServers();
const { logOf } = captureLogs();
const second = 1_000;
const day = 86_400 * second;
const year = 365 * day;
let setup: TestSetup;

beforeAll(async () => {
  assertNothingLeftOpen = watchOpenHandles();
  setup = await createTestSetup({ server, redisUrl, log: logOf('expiry-worker') });
});

afterEach(async () => {
  await setup.reset();
});

afterAll(async () => {
  await setup.stop();
  await assertNothingLeftOpen();
});

/** Starts a worker, and waits until it has purged once. */
async function purge(env: Readonly<Record<string, string>> = {}) {
  const worker = await setup.startWorker({ env });
  await eventually('a purge', () => readMetric(worker, 'relay_purge_seconds_count'));
  return worker;
}

const read = (id: string) =>
  setup.prisma.helpRequest.findUnique({ where: { id }, include: { messages: true } });

describe('content', () => {
  test('is erased when its retention is over by the clock of Postgres; the metadata stays', async () => {
    const old = await seedEnded(setup.prisma, { endedAgo: 30 * day + second });
    const young = await seedEnded(setup.prisma, { endedAgo: 30 * day - 60 * second });
    const [before, kept] = [await read(old), await read(young)];
    const worker = await purge();

    expect(await read(old)).toEqual({
      ...before,
      question: null,
      plaintext: null,
      context: [],
      answerForm: null,
      formKind: null,
      agentName: null,
      agentVersions: null,
      tags: [],
      follows: null,
      closeReason: null,
      consumerSignPubKey: null,
      consumerEncryptPubKey: null,
      providerSignPubKey: null,
      providerEncryptPubKey: null,
      keySignature: null,
      messages: [],
      erasedAt: expect.any(Date),
    });
    expect(await read(young)).toEqual(kept);
    expect(await readMetric(worker, 'relay_purge_removed_total')).toBe(1);
    expect(await readMetric(worker, 'relay_purge_backlog_seconds')).toBe(0);
  });

  test('of an open conversation stays, however old it is', async () => {
    const [id = ''] = await seedRequests(setup.prisma, { count: 1, dueIn: day });
    await setup.prisma.$executeRaw`
      UPDATE help_requests SET created_at = now() - interval '1 year', question = 'May I?'`;
    await purge({ RELAY_RETENTION: '0s' });
    expect(await read(id)).toMatchObject({ question: 'May I?', erasedAt: null });
  });

  test('is erased in small batches until none is left', async () => {
    for (let count = 0; count < 5; count++)
      await seedEnded(setup.prisma, { endedAgo: 40 * day, messages: 1_500 });
    const others = await seedRequests(setup.prisma, { count: 450, dueIn: -40 * day });
    await setup.prisma.$executeRaw`
      UPDATE help_requests SET status = 'closed', ended_at = expires_at WHERE id = ANY(${others})`;
    await purge();
    expect(await setup.prisma.message.count()).toBe(0);
    expect(await setup.prisma.helpRequest.count({ where: { erasedAt: null } })).toBe(0);
  });

  test('is erased once when several workers purge at the same time', async () => {
    await seedRequests(setup.prisma, { count: 300, dueIn: -40 * day });
    await setup.prisma.$executeRaw`UPDATE help_requests SET status = 'closed', ended_at = expires_at`;
    const erased = await Promise.all([1, 2, 3].map(() => eraseContent(setup.query, 30 * day)));
    const rest = await eraseContent(setup.query, 30 * day);
    expect([...erased, rest].reduce((sum, count) => sum + count)).toBe(300);
    expect(await eraseContent(setup.query, 30 * day)).toBe(0);
  });

  test('is erased although rows of deleted requests are older', async () => {
    await setup.prisma.$executeRaw`
      INSERT INTO request_stages (stage, at, request_id, user_id, active_at, progress)
      SELECT stage::request_stage, '2020-01-01', 'deleted ' || number, gen_random_uuid(), '2020-01-01', 'answered'
      FROM generate_series(1, 600) AS number, unnest(ARRAY['ended', 'erased']) AS stage`;
    const old = await seedEnded(setup.prisma, { endedAgo: 2 * year });
    await purge();
    await eventually('it is deleted', async () => (await read(old)) === null);
  });

  test('is not erased outside the purge hours', async () => {
    const id = await seedEnded(setup.prisma, { endedAgo: 40 * day });
    const [clock] = await setup.prisma.$queryRaw<{ hour: number }[]>`
      SELECT extract(hour FROM now() AT TIME ZONE 'UTC')::int AS hour`;
    const later = ((clock?.hour ?? 0) + 2) % 24;
    const worker = await purge({ RELAY_PURGE_HOURS: `${later}-${later + 1}` });
    expect(await read(id)).toMatchObject({ question: 'May I?', erasedAt: null });
    expect(await readMetric(worker, 'relay_purge_backlog_seconds')).toBeCloseTo(10 * 86_400, -2);
  });
});

test('a request is deleted when the retention of its metadata is over', async () => {
  const old = await seedEnded(setup.prisma, { endedAgo: year + second });
  const young = await seedEnded(setup.prisma, { endedAgo: year - 60 * second });
  await purge();
  await eventually('the old one is deleted', async () => (await read(old)) === null);
  expect(await countRequests(setup.prisma)).toMatchObject({ requests: 1, wrongStages: 0 });
  expect(await read(young)).toMatchObject({ erasedAt: expect.any(Date) });
});

test('a request with an idempotency key is not deleted before a repeated submit would make another one', async () => {
  const ended = await seedEnded(setup.prisma, { endedAgo: day });
  const { consumerKeyId } = await setup.prisma.helpRequest.findUniqueOrThrow({ where: { id: ended } });
  const digest = Uint8Array.from(randomBytes(32));
  await setup.prisma.idempotencyRecord.create({
    data: { apiKeyId: consumerKeyId, keyDigest: digest, bodyDigest: digest, requestId: ended },
  });
  const other = await seedEnded(setup.prisma, { endedAgo: day });
  const expireAgo = (milliseconds: number) =>
    setup.prisma.helpRequest.updateMany({ data: { expiresAt: new Date(Date.now() - milliseconds) } });
  await expireAgo(day - 60 * second);
  const worker = await purge({
    RELAY_RETENTION: '0s',
    RELAY_METADATA_RETENTION: '0s',
    RELAY_PURGE_INTERVAL: '1s',
  });
  await eventually('the one without a key is deleted', async () => (await read(other)) === null);
  const purges = async () => (await readMetric(worker, 'relay_purge_seconds_count')) ?? 0;
  const before = await purges();
  await eventually('another purge', async () => (await purges()) >= before + 2);
  expect(await read(ended)).toMatchObject({ erasedAt: expect.any(Date) });
  await expireAgo(day + second);
  await eventually('it is deleted', async () => (await read(ended)) === null);
});

test('idempotency records are deleted a day after their request has expired', async () => {
  const digest = (text: string) => Uint8Array.from(createHash('sha256').update(text).digest());
  const add = async (name: string, expiredAgo: number) => {
    const requestId = await seedEnded(setup.prisma, { endedAgo: expiredAgo });
    const { consumerKeyId } = await setup.prisma.helpRequest.findUniqueOrThrow({ where: { id: requestId } });
    return await setup.prisma.idempotencyRecord.create({
      data: {
        apiKeyId: consumerKeyId,
        keyDigest: digest(name),
        bodyDigest: digest('body'),
        requestId,
        createdAt: new Date(Date.now() - expiredAgo - 3 * day),
      },
    });
  };
  await add('old', day + second);
  const young = await add('young', day - 60 * second);
  await purge();
  expect(await setup.prisma.idempotencyRecord.findMany()).toEqual([young]);
});

test('secrets that no longer work are deleted after the retention, and keys that were revoked a year ago', async () => {
  const { prisma } = setup;
  const user = await prisma.user.create({ data: { name: 'ada' } });
  const ago = (milliseconds: number) => new Date(Date.now() - milliseconds);
  const addKey = async (name: string, revokedAt: Date | null, expiries: readonly (Date | null)[]) => {
    const { id } = await prisma.apiKey.create({
      data: { userId: user.id, kind: 'consumer', name, lastFour: 'abcd', callId: randomUUID(), revokedAt },
    });
    for (const expiresAt of expiries) {
      const secretDigest = Uint8Array.from(randomBytes(32));
      await prisma.apiKeySecret.create({
        data: { apiKeyId: id, secretDigest, callId: randomUUID(), expiresAt },
      });
    }
    return id;
  };
  await addKey('works', null, [ago(31 * day), ago(29 * day), null]);
  await addKey('revoked', ago(31 * day), [null]);
  await addKey('revoked long ago', ago(year + second), [null]);
  const used = await addKey('revoked long ago, with a request', ago(year + second), []);
  await seedEnded(prisma, { endedAgo: day });
  await prisma.helpRequest.updateMany({ data: { userId: user.id, consumerKeyId: used } });

  await purge();
  const keys = await prisma.apiKey.findMany({ where: { userId: user.id }, include: { secrets: true } });
  expect(Object.fromEntries(keys.map(({ name, secrets }) => [name, secrets.length]))).toEqual({
    works: 2,
    revoked: 0,
    'revoked long ago, with a request': 0,
  });
});

test('events that were set aside are deleted after the retention; events that wait stay, however old', async () => {
  const add = (failedAgo: number | null) =>
    setup.prisma.$executeRaw`
      INSERT INTO outbox_events (type, payload, user_id, recorded_at, failed_at)
      VALUES ('new_request', '', gen_random_uuid(), now() - interval '2 years', now() - ${failedAgo}::float8 * interval '1 ms')`;
  await add(30 * day + second);
  await add(29 * day);
  await add(null);
  await purge();
  const left = await setup.prisma.outboxEvent.findMany({ orderBy: { failedAt: 'asc' } });
  expect(left.map(({ failedAt }) => failedAt)).toEqual([expect.any(Date), null]);
});

test('a retention of metadata that is shorter than that of content is refused', () => {
  const env = setup.environment({ env: { RELAY_RETENTION: '30d', RELAY_METADATA_RETENTION: '29d' } });
  expect(() => readConfig(env)).toThrow(/^RELAY_METADATA_RETENTION is shorter than RELAY_RETENTION/);
});
