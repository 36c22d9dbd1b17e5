import { randomUUID } from 'node:crypto';
import { eventually } from '@expert-relay/testkit';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { holdCursor, insertFromEvents } from '../events/cursor.ts';
import { endSessions } from '../events/end-sessions.ts';
import { openNotifierDatabase, type TestDatabase } from '../testing/test-database.ts';
import { deleteOfRevokedKeys } from './endpoint-rows.ts';
import { changeSettings } from './settings.ts';

let database: TestDatabase;
const sessionId = randomUUID();

beforeAll(async () => {
  database = await openNotifierDatabase();
});
afterAll(async () => {
  await database[Symbol.asyncDispose]();
});

test.each<[string, () => Promise<unknown>]>([
  [
    'the insertion of deliveries',
    async () => {
      const event = { seq: 1, eventId: 'event 1', recordedAt: Date.now() };
      const fact = { type: 'request.created', messageKey: null, at: Date.now() } as const;
      const facts = [{ ...fact, requestId: await database.addRequest() }];
      return insertFromEvents(database.query, undefined, { ...event, epoch: 'e' }, [{ ...event, facts }]);
    },
  ],
  ['a change of the settings', () => changeSettings(database.query, database.userId, { pausedUntil: null })],
  ['the end of sessions', () => endSessions(database.query, [{ sessionId, isSignedOut: false }])],
  ['a sign-out', () => endSessions(database.query, [{ sessionId, isSignedOut: true }])],
  [
    'the deletion of webhooks whose key is revoked',
    async () => {
      await database.query`UPDATE api_keys SET revoked_at = now()`;
      await deleteOfRevokedKeys(database.query);
    },
  ],
])(
  '%s locks endpoints in the order of their ids, so that no other statement that does so ends in a deadlock',
  async (_, change) => {
    await database.query`DELETE FROM notification_endpoints`;
    await database.query`DELETE FROM notification_cursor`;
    for (let count = 0; count < 16; count++)
      await database.addChannel('chat', { url: 'https://example.com/' });
    await database.query`UPDATE notification_endpoints SET session_id = ${sessionId}::uuid, api_key_id = ${database.keyId}::uuid`;
    await holdCursor(database.query, randomUUID());
    // Wrapped, since the change ends only after this transaction.
    const { changing } = await database.transact(async (query) => {
      await query`SELECT FROM notification_endpoints ORDER BY id LIMIT 1 FOR NO KEY UPDATE`;
      const changing = change();
      await eventually('it waits for the first endpoint', async () => {
        const [waiting] = await database.query`
        SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`;
        return waiting;
      });
      const free = await query`SELECT FROM notification_endpoints FOR NO KEY UPDATE SKIP LOCKED`;
      expect(free).toHaveLength(16);
      return { changing };
    });
    await changing;
  },
);
