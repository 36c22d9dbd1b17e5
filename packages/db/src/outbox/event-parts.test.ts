import { randomUUID } from 'node:crypto';
import { newMessageEvent, newRequestEvent, Role } from '@expert-relay/contracts';
import { createLog } from '@expert-relay/kit/log';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createDatabase, type Database } from '../database/create-database.ts';
import { sql } from '../postgres/query.ts';
import { countFaults, openOutbox, type TestOutbox } from '../testing/open-outbox.ts';
import { patient } from '../testing/open-test-database.ts';
import { eventParts } from './event-parts.ts';

const servers = { databaseUrl: process.env.DATABASE_URL ?? '', natsUrl: process.env.NATS_URL ?? '' };

describe('a statement that changes state and records an event', () => {
  let outbox: TestOutbox;
  let database: Database;

  beforeEach(async () => {
    outbox = await openOutbox(servers);
    database = createDatabase({
      url: outbox.databaseUrl,
      poolSize: 8,
      log: createLog('test', { level: 'silent' }),
      ...patient,
    });
    await database.start?.();
  });
  afterEach(async () => {
    await database.stop?.();
    await outbox[Symbol.asyncDispose]();
  });

  test('is published once, with its columns and its payload', async () => {
    const { userId } = await submit('r'.repeat(22));
    const publisher = await outbox.startPublisher();
    await outbox.untilPublished();
    // Fifty at once: the lock of the row gives them an order.
    const senders = Array.from({ length: 50 }, () => send('r'.repeat(22)));
    await Promise.all(senders);
    publisher.wake();
    await outbox.untilPublished();

    const events = await outbox.stored();
    expect(events.map(({ seq }) => seq)).toEqual(Array.from({ length: 51 }, (_, index) => BigInt(index + 1)));
    expect(countFaults(events)).toEqual({ duplicated: 0, disordered: 0 });
    expect(events[0]).toMatchObject({
      userId,
      requestId: 'r'.repeat(22),
      refCode: 'HS-AAAA0000',
      event: { case: 'newRequest', value: { question: 'Why?' } },
    });
    expect(events[50]?.event).toMatchObject({ case: 'newMessage', value: { role: Role.PROVIDER } });
    const row = await database.prisma.outboxEvent.findUniqueOrThrow({
      where: { id: events[50]?.eventId ?? '' },
    });
    expect(row.streamSeq).toBe(51n);
  });

  test('records no event when it changes nothing, and none when it fails', async () => {
    await submit('r'.repeat(22));
    expect(await send('unknown')).toBe(0);
    await expect(submit('r'.repeat(22))).rejects.toThrow();
    expect(await database.prisma.outboxEvent.count()).toBe(1);
  });

  test('records a fact for the notifier only while the user has an enabled endpoint', async () => {
    const requestId = 'r'.repeat(22);
    const { userId } = await submit(requestId);
    const { id: otherId } = await database.prisma.user.create({ data: { name: 'Bob' } });
    const addEndpoint = (userId: string, apiKeyId?: string) =>
      database.prisma.notificationEndpoint.create({
        data: {
          id: randomUUID(),
          userId,
          apiKeyId: apiKeyId ?? null,
          channel: 'webhook' as const,
          events: [],
          sealingKeyId: 'k',
          sealed: Buffer.of(0),
          enabledAt: new Date(),
        },
      });
    await addEndpoint(otherId);
    await send(requestId);
    const facts = () => database.prisma.notificationFact.findMany({ orderBy: { position: 'asc' } });
    expect(await facts()).toEqual([]);

    const { id: keyId } = await database.prisma.apiKey.findFirstOrThrow({ where: { userId } });
    const { id } = await addEndpoint(userId, keyId);
    const messageIds = [randomUUID(), randomUUID()];
    for (const messageId of messageIds) await send(requestId, messageId);
    await database.prisma.notificationEndpoint.update({ where: { id }, data: { enabledAt: null } });
    await send(requestId);
    expect(await facts()).toMatchObject(
      messageIds.map((messageKey) => ({ type: 'new_message', requestId, messageKey })),
    );
  });

  async function submit(id: string): Promise<{ userId: string }> {
    const { id: userId } = await database.prisma.user.create({ data: { name: 'Ada' } });
    const { id: keyId } = await database.prisma.apiKey.create({
      data: { userId, kind: 'consumer', name: 'key', lastFour: 'abcd', callId: crypto.randomUUID() },
    });
    await database.prisma.$executeRaw`
      WITH request AS (
        INSERT INTO help_requests (id, ref_code, user_id, consumer_key_id, call_id, context, expires_at)
        VALUES (${id}, 'AAAA0000', ${userId}::uuid, ${keyId}::uuid, gen_random_uuid(), '[]', now() + interval '1 hour')
        RETURNING *
      ),
      ${eventParts({
        ...newRequestEvent({ question: 'Why?' }),
        from: sql`SELECT user_id, id AS request_id, ref_code, seq FROM request`,
      })}
      SELECT 1`;
    return { userId };
  }

  async function send(requestId: string, messageId: string = randomUUID()): Promise<number> {
    const sent = await database.prisma.$queryRaw<unknown[]>`
      WITH request AS (SELECT id FROM help_requests WHERE id = ${requestId} FOR UPDATE),
      counted AS (
        UPDATE help_requests SET seq = seq + 1 FROM request WHERE help_requests.id = request.id
        RETURNING help_requests.user_id, help_requests.id AS request_id, ref_code, seq
      ),
      ${eventParts({
        ...newMessageEvent({ role: 'provider', messageId }),
        from: sql`SELECT * FROM counted`,
      })}
      SELECT seq FROM counted`;
    return sent.length;
  }
});
