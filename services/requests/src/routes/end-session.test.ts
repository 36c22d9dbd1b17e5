import { randomUUID } from 'node:crypto';
import { type OpenDatabase, openTestDatabase } from '@expert-relay/db/testing';
import { createLog } from '@expert-relay/kit/log';
import { eventually } from '@expert-relay/testkit';
import { afterAll, beforeAll, beforeEach, expect, jest, test } from '@jest/globals';
import { endSession } from './end-session.ts';

let database: OpenDatabase;
let userId: string;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.stop());
beforeEach(async () => {
  ({ id: userId } = await database.prisma.user.create({ data: { name: 'Ada' } }));
});

/** A browser that is notified. Returns the id of its session. */
async function subscribe(): Promise<string> {
  const sessionId = randomUUID();
  await database.prisma.notificationEndpoint.create({
    data: {
      id: randomUUID(),
      userId,
      channel: 'push',
      events: [],
      sessionId,
      sealingKeyId: 'k',
      sealed: Buffer.of(0),
      enabledAt: new Date(),
    },
  });
  return sessionId;
}

const wakeOutbox = jest.fn();
const patient = { maxWait: 60_000, timeout: 60_000 };

async function end(sessionId: string, signedOut: boolean) {
  const { query, prisma } = database;
  const route = endSession({
    query,
    prisma,
    log: createLog('test', { level: 'silent' }),
    conversationTtl: 0,
    wakeOutbox,
    noteKeyUse: () => {},
    signStreamToken: async () => ({}) as never,
  });
  return await route.handle({
    principal: { kind: 'session', userId, sessionId },
    body: { signedOut },
  } as never);
}

const sessionsOfEndpoints = async () =>
  (await database.prisma.notificationEndpoint.findMany({ where: { userId } })).map(
    ({ sessionId }) => sessionId,
  );

test('a sign-out removes the push subscription of its session, and no other one', async () => {
  const [signedOut, other] = [await subscribe(), await subscribe()];
  expect(await end(signedOut, true)).toMatchObject({ status: 204 });
  expect(await sessionsOfEndpoints()).toEqual([other]);
  expect(await database.prisma.outboxEvent.count({ where: { userId, type: 'credential_revoked' } })).toBe(1);
});

test('the subscription of a session whose time is over stays', async () => {
  const over = await subscribe();
  expect(await end(over, false)).toMatchObject({ status: 204 });
  expect(await sessionsOfEndpoints()).toEqual([over]);
});

test('a subscription that is locked delays no event, and the call is repeated', async () => {
  const signedOut = await subscribe();
  wakeOutbox.mockClear();
  await database.prisma.$transaction(async (transaction) => {
    await transaction.$queryRaw`SELECT id FROM notification_endpoints FOR NO KEY UPDATE`;
    await expect(end(signedOut, true)).rejects.toMatchObject({ code: 'unavailable' });
    expect(await database.prisma.outboxEvent.count({ where: { userId } })).toBe(1);
    expect(wakeOutbox).toHaveBeenCalledTimes(1);
  }, patient);
  expect(await end(signedOut, true)).toMatchObject({ status: 204 });
  expect(await sessionsOfEndpoints()).toEqual([]);
});

test('a subscription that is being registered meanwhile is removed too', async () => {
  const sessionId = randomUUID();
  let ending: Promise<unknown> | undefined;
  await database.prisma.$transaction(async (transaction) => {
    // As the notifier registers one.
    await transaction.$queryRaw`SELECT 1 FROM users WHERE id = ${userId}::uuid FOR NO KEY UPDATE`;
    ending = end(sessionId, true);
    await eventually('it waits', async () => {
      const waiting = await database.query`SELECT FROM pg_locks WHERE NOT granted`;
      return waiting.length > 0;
    });
    await transaction.$executeRaw`
      INSERT INTO notification_endpoints (id, user_id, channel, sealing_key_id, sealed, session_id)
      VALUES (gen_random_uuid(), ${userId}::uuid, 'push', 'k', '', ${sessionId}::uuid)`;
  }, patient);
  expect(await ending).toMatchObject({ status: 204 });
  expect(await sessionsOfEndpoints()).toEqual([]);
});
