import { type Query, type Sql, sql } from '@expert-relay/db';
import type { WindowCounter } from '@expert-relay/kit/http';
import { Problem } from '@expert-relay/kit/problem';
import { type Manager, managedBy } from '../endpoints/webhook-form.ts';
import { insertOneDelivery } from './insert-deliveries.ts';
import { type Delivery, deliveryBody, deliveryColumns } from './list-deliveries.ts';
import { stillNeeded } from './recipients.ts';

/** Throws when a user has asked for too many tests and repetitions in this minute. */
function requireTests(count: WindowCounter, { userId }: Manager): void {
  const { left, endsInMs } = count(userId);
  if (left >= 0) return;
  throw new Problem('rate_limited', { headers: { 'retry-after': String(Math.ceil(endsInMs / 1_000)) } });
}

async function requireOn(query: Query, manager: Manager, webhookId: string): Promise<void> {
  const [row] = await query<{ isNeeded: boolean }>`
    SELECT ${stillNeeded} AS "isNeeded" FROM notification_endpoints AS endpoint
    WHERE id = ${webhookId}::uuid AND ${managedBy(manager)}`;
  if (!row) throw new Problem('not_found');
  if (!row.isNeeded) throw new Problem('webhook_off');
}

async function one(query: Query, statement: Sql): Promise<Delivery | undefined> {
  const [row] = await query`${statement}`;
  return row && deliveryBody(row);
}

/** Sends a test, which has only a type and a time. */
export async function sendTest(
  query: Query,
  manager: Manager,
  { webhookId, callId, count }: { webhookId: string; callId: string; count: WindowCounter },
): Promise<Delivery> {
  await requireOn(query, manager, webhookId);
  requireTests(count, manager);
  const delivery = await one(
    query,
    sql`${insertOneDelivery({ endpointId: webhookId, type: 'webhook.test', key: callId })}
      SELECT ${deliveryColumns} FROM inserted AS delivery`,
  );
  if (!delivery) throw new Error('the test was not inserted');
  return delivery;
}

/** Sends a delivery again, now and under the same id. One that is being sent stays as it is. */
export async function sendAgain(
  query: Query,
  manager: Manager,
  { webhookId, deliveryId, count }: { webhookId: string; deliveryId: string; count: WindowCounter },
): Promise<Delivery> {
  await requireOn(query, manager, webhookId);
  requireTests(count, manager);
  const delivery = await one(
    query,
    sql`
      WITH again AS (
        UPDATE notification_deliveries SET
          state = CASE WHEN state = 'sending' THEN state ELSE 'waiting' END,
          attempts = CASE WHEN state = 'sending' THEN attempts ELSE 0 END,
          due_at = CASE WHEN state = 'sending' THEN due_at ELSE now() END,
          ended_at = NULL
        WHERE id = ${deliveryId} AND endpoint_id = ${webhookId}::uuid
        RETURNING *
      ),
      woken AS (
        UPDATE notification_endpoints SET next_due_at = LEAST(next_due_at, now())
        WHERE id IN (SELECT endpoint_id FROM again)
      )
      SELECT ${deliveryColumns} FROM again AS delivery`,
  );
  if (!delivery) throw new Problem('not_found');
  return delivery;
}
