import { eventually } from '@expert-relay/testkit';
import { expect, test } from '@jest/globals';
import { recordAttempt } from '../deliveries/record-attempt.ts';
import { useNotifierDatabase } from '../testing/test-database.ts';
import { deleteOfRevokedKeys } from './endpoint-rows.ts';
import { changeSettings } from './settings.ts';

const database = useNotifierDatabase();

test.each<[string, () => Promise<unknown>]>([
  [
    'the insertion of deliveries',
    async () => {
      await database.addFact('new_request', await database.addRequest());
      // It waits for a lock for a second only.
      const take = () =>
        database.takeAll().then(
          () => true,
          () => false,
        );
      await eventually('the fact is taken', take);
    },
  ],
  ['a change of the settings', () => changeSettings(database.query, database.userId, { pausedUntil: null })],
  [
    'the deletion of webhooks whose key is revoked',
    async () => {
      await database.query`UPDATE api_keys SET revoked_at = now()`;
      await deleteOfRevokedKeys(database.query);
    },
  ],
  [
    'an attempt that switches an endpoint off, which is reported to the email addresses,',
    async () => {
      const ids = await database.query<{ id: string }>`SELECT id FROM notification_endpoints ORDER BY id`;
      const endpointId = ids.at(-1)?.id ?? '';
      await database.addDeliveries(endpointId, 1);
      const [delivery] = await database.query<{ id: string; attempt: number }>`
        UPDATE notification_deliveries SET state = 'sending', attempts = 1 WHERE endpoint_id = ${endpointId}::uuid
        RETURNING id, attempts AS attempt`;
      const deliveries = delivery ? [delivery] : [];
      const attempt = { reason: 'refused', ends: 'endpoint', durationMs: 1 } as const;
      expect(await recordAttempt(database.query, { endpointId, deliveries }, attempt)).toMatchObject({
        isOff: true,
      });
    },
  ],
])(
  '%s locks endpoints in the order of their ids, so that no other statement that does so ends in a deadlock',
  async (_, change) => {
    await database.query`DELETE FROM notification_endpoints`;
    for (let count = 0; count < 16; count++)
      await database.addChannel('email', { address: 'ada@example.com', unsubscribeToken: 'token' });
    await database.query`UPDATE notification_endpoints SET api_key_id = ${database.keyId}::uuid`;
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
