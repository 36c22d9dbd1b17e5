import { randomUUID } from 'node:crypto';
import { credentialRevokedEvent, EventHead, keyExchangeEvent, type NewEvent } from '@expert-relay/contracts';
import { type OpenDatabase, openTestDatabase } from '@expert-relay/db/testing';
import { createLog } from '@expert-relay/kit/log';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { listRevocations } from './list-revocations.ts';

let database: OpenDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.stop());

/** Inserts a row of the outbox, with the ages of its record and its publication in minutes. Returns its id. */
async function insert({ type, payload }: NewEvent, recorded: number, published?: number, failed?: number) {
  const id = randomUUID();
  await database.query`
    INSERT INTO outbox_events
      (id, type, payload, user_id, recorded_at, published_at, stream_seq, stream_created_at, failed_at)
    SELECT ${id}::uuid, ${type}, ${Buffer.from(payload)}, gen_random_uuid(),
      now() - ${recorded}::float8 * interval '1 minute', published, CASE WHEN published IS NOT NULL THEN 1 END,
      CASE WHEN published IS NOT NULL THEN 'epoch' END, now() - ${failed ?? null}::float8 * interval '1 minute'
    FROM (SELECT now() - ${published ?? null}::float8 * interval '1 minute' AS published) AS times`;
  return id;
}

test('returns the revocations that can be published, newest first, for the hub only', async () => {
  const ofKey = (apiKeyId: string) => credentialRevokedEvent({ apiKeyId });
  const waitingLong = await insert(ofKey('waits'), 60);
  const recent = await insert(ofKey('recent'), 9, 9);
  await insert(ofKey('failed'), 60, undefined, 60);
  await insert(keyExchangeEvent(), 0);
  await insert({ type: 'credential_revoked', payload: Buffer.from([255]) }, 0);
  const newest = await insert(ofKey('new'), 0);

  const { query, prisma } = database;
  const log = createLog('test', { level: 'silent' });
  const route = listRevocations({
    query,
    prisma,
    log,
    conversationTtl: 0,
    wakeOutbox: () => {},
    noteKeyUse: () => {},
    signStreamToken: async () => ({}) as never,
  });
  expect(route).toMatchObject({ method: 'get', path: '/internal/revocations', allow: ['hub'] });
  const { body } = await route.handle({} as never);
  const events = (body as { events: string[] }).events.map(
    (text) => new EventHead(Buffer.from(text, 'base64')),
  );
  expect(events.map(({ eventId }) => eventId)).toEqual([newest, recent, waitingLong]);
  expect(events.map((event) => event.readBody())).toEqual(
    ['new', 'recent', 'waits'].map((value) =>
      expect.objectContaining({
        case: 'credentialRevoked',
        value: expect.objectContaining({ credential: { case: 'apiKeyId', value } }),
      }),
    ),
  );
  expect(Date.now() - (events[2]?.readTime() ?? 0)).toBeGreaterThan(59 * 60_000);
});
