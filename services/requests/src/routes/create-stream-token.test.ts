import { randomUUID } from 'node:crypto';
import { type OpenDatabase, openTestDatabase } from '@expert-relay/db/testing';
import { createLog } from '@expert-relay/kit/log';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createStreamToken } from './create-stream-token.ts';

let database: OpenDatabase;
let userId: string;
beforeAll(async () => {
  database = await openTestDatabase();
  ({ id: userId } = await database.prisma.user.create({ data: { name: 'Ada' } }));
});
afterAll(() => database.stop());

const hour = 3_600_000;
const patient = { maxWait: 60_000, timeout: 60_000 };

async function subscribe(sessionEndsAt: number): Promise<string> {
  const sessionId = randomUUID();
  await database.prisma.notificationEndpoint.create({
    data: {
      id: randomUUID(),
      userId,
      channel: 'push',
      events: [],
      sessionId,
      sessionEndsAt: new Date(sessionEndsAt),
      sealingKeyId: 'k',
      sealed: Buffer.of(0),
    },
  });
  return sessionId;
}

async function createToken(sessionId: string, endsAt: number): Promise<void> {
  const { query, prisma } = database;
  const route = createStreamToken({
    query,
    prisma,
    log: createLog('test', { level: 'silent' }),
    conversationTtl: 0,
    wakeOutbox: () => {},
    noteKeyUse: () => {},
    signStreamToken: async () => ({}) as never,
  });
  const { status } = await route.handle({
    principal: { kind: 'session', userId, sessionId, begunAt: 0, endsAt },
    body: { topics: [`/svc/providers/${userId}`] },
  } as never);
  expect(status).toBe(201);
}

const endOf = async (sessionId: string) =>
  (
    await database.prisma.notificationEndpoint.findFirstOrThrow({ where: { sessionId } })
  ).sessionEndsAt?.getTime();

test('the token of a session renews the end of its push subscription, and of no other one', async () => {
  const now = Date.now();
  const [own, other] = [await subscribe(now + hour), await subscribe(now + hour)];
  await createToken(own, now + 2 * hour);
  expect([await endOf(own), await endOf(other)]).toEqual([now + 2 * hour, now + hour]);
});

test('a subscription that is locked delays no token, and is renewed with the next one', async () => {
  const now = Date.now();
  const session = await subscribe(now + hour);
  await database.prisma.$transaction(async (transaction) => {
    await transaction.$queryRaw`SELECT id FROM notification_endpoints FOR NO KEY UPDATE`;
    await createToken(session, now + 2 * hour);
  }, patient);
  expect(await endOf(session)).toBe(now + hour);
  await createToken(session, now + 2 * hour);
  expect(await endOf(session)).toBe(now + 2 * hour);
});
