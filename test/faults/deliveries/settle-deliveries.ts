import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '@expert-relay/testkit';
import { readCommitted } from '../checks/read-committed.ts';
import type { Database } from '../environment/database.ts';
import type { Environment } from '../environment/environment.ts';
import {
  checkDeliveries,
  countMissing,
  type DeliveriesResult,
  expectedDeliveries,
  readRoles,
} from './check-deliveries.ts';

/**
 * Waits until every delivery has ended, and checks them. Retries are minutes and hours apart, so their time is
 * made to come: what waits is made due.
 */
export async function settleDeliveries(
  { database, user, webhooks, channels }: Pick<Environment, 'database' | 'user' | 'webhooks' | 'channels'>,
  timeoutMs: number,
): Promise<{ remark: string; failures: readonly string[] }> {
  const committed = await readCommitted(database, user.userId);
  const roles = await readRoles(database);
  const missing = () =>
    webhooks.reduce(
      (sum, webhook) => sum + countMissing(webhook, expectedDeliveries(webhook.of, committed, roles)),
      0,
    );
  const failures: string[] = [];
  await eventually(
    'every delivery has ended',
    async () => {
      await pause(500);
      return (await countLive(database)) === 0 && missing() === 0;
    },
    { timeoutMs },
  ).catch(({ message }: Error) => failures.push(message));
  const unsent = await database.query<{ text: string }>(unsentText, [channels.user.userId]);
  const ofWebhooks = checkDeliveries(webhooks, committed, roles);
  const ofPeople = await channels.check();
  const shown = ({ expected, receipts, lost }: Omit<DeliveriesResult, 'failures'>, what: string) =>
    `${expected} ${what}, ${receipts} receipts, ${lost} lost`;
  return {
    remark: `${shown(ofWebhooks, 'webhook deliveries')}; ${shown(ofPeople, 'notifications of people')}`,
    failures: [...failures, ...unsent.map(({ text }) => text), ...ofWebhooks.failures, ...ofPeople.failures],
  };
}

// A request that ended before it could be kept waiting cancels its notifications.
const unsentText = `
  SELECT count(*) || ' deliveries are ' || state AS text FROM notification_deliveries
  WHERE state <> 'delivered' AND NOT (state = 'cancelled' AND request_id IN (
    SELECT id FROM help_requests WHERE user_id = $1 AND ended_at IS NOT NULL))
  GROUP BY state`;

/** Makes due what waits, and counts it. */
async function countLive(database: Database): Promise<number | undefined> {
  const [row] = await database.query<{ live: number }>(makeDue).catch(() => []);
  return row?.live;
}

// A delivery that has been sent for 20 seconds lost its process, since an attempt takes at most eleven. `made_due` reads `due`, which
// would run after it otherwise and find no endpoint, since a row that its own statement has changed cannot be locked.
const makeDue = `
  WITH endpoint AS MATERIALIZED (SELECT id FROM notification_endpoints ORDER BY id FOR NO KEY UPDATE),
  due AS (
    UPDATE notification_deliveries SET due_at = now() FROM endpoint
    WHERE endpoint_id = endpoint.id AND due_at > now()
      AND (state = 'waiting' OR (state = 'sending' AND due_at < now() + interval '40 seconds'))
    RETURNING endpoint_id
  ),
  made_due AS (
    UPDATE notification_endpoints SET next_due_at = now(), sent_at = NULL
    WHERE id IN (
      SELECT endpoint_id FROM due UNION SELECT endpoint_id FROM notification_deliveries WHERE state = 'waiting')
  )
  SELECT count(*)::int AS live FROM notification_deliveries WHERE state IN ('waiting', 'sending')`;
