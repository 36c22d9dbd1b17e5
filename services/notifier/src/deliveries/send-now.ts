import type { Api } from '@expert-relay/contracts';
import { type Query, type Sql, sql } from '@expert-relay/db';
import type { WindowCounter } from '@expert-relay/kit/http';
import { Problem, type ProblemCode } from '@expert-relay/kit/problem';
import type { DeliveryType } from '../endpoints/delivery-types.ts';
import type { Sealed, TargetSealer } from '../endpoints/seal.ts';
import { deliveryBody, deliveryColumns } from './deliveries-page.ts';
import { oneDeliveryParts } from './delivery-parts.ts';
import { isUsable } from './recipients.ts';

/** Throws when a user has asked for too many tests and repetitions in this minute. */
function requireTests(count: WindowCounter, userId: string): void {
  if (count(userId).left >= 0) return;
  // The contract has one value for all limits of a minute.
  throw new Problem('rate_limited', { headers: { 'retry-after': '60' } });
}

/** An endpoint of a user to which something is sent now. */
interface UsedEndpoint {
  readonly endpointId: string;
  readonly userId: string;
  /** A condition on the endpoint. */
  readonly isOwn: Sql;
  /** The error when it is off. */
  readonly off: ProblemCode;
  readonly count: WindowCounter;
  readonly sealer: TargetSealer;
}

async function requireUsable(query: Query, endpoint: UsedEndpoint): Promise<void> {
  const [row] = await query<Sealed & { isUsable: boolean }>`
    SELECT ${isUsable} AS "isUsable", sealing_key_id AS "sealingKeyId", sealed FROM notification_endpoints AS endpoint
    WHERE id = ${endpoint.endpointId}::uuid AND ${endpoint.isOwn}`;
  if (!row) throw new Problem('not_found');
  if (!row.isUsable || !endpoint.sealer.tryOpen(endpoint.endpointId, row)) throw new Problem(endpoint.off);
  requireTests(endpoint.count, endpoint.userId);
}

async function requireOne(query: Query, statement: Sql): Promise<Api.Delivery> {
  const [row] = await query`${statement}`;
  if (!row) throw new Problem('not_found');
  return deliveryBody(row);
}

/** Sends a test, which has only a type and a time. */
export async function sendTest(
  query: Query,
  { type, callId, ...endpoint }: UsedEndpoint & { type: DeliveryType; callId: string },
): Promise<Api.Delivery> {
  await requireUsable(query, endpoint);
  return await requireOne(
    query,
    sql`WITH ${oneDeliveryParts({ endpointId: endpoint.endpointId, type, key: callId })}
      SELECT ${deliveryColumns} FROM inserted AS delivery`,
  );
}

/** Sends a delivery again, now and under the same id. One that is being sent stays as it is. */
export async function sendAgain(
  query: Query,
  { deliveryId, ...endpoint }: UsedEndpoint & { deliveryId: string },
): Promise<Api.Delivery> {
  await requireUsable(query, endpoint);
  return await requireOne(
    query,
    sql`
      WITH endpoint AS MATERIALIZED (
        -- First, as everywhere.
        SELECT id FROM notification_endpoints WHERE id = ${endpoint.endpointId}::uuid FOR NO KEY UPDATE
      ),
      again AS (
        UPDATE notification_deliveries AS delivery SET
          state = CASE WHEN state = 'sending' THEN state ELSE 'waiting' END,
          attempts = CASE WHEN state = 'sending' THEN attempts ELSE 0 END,
          due_at = CASE WHEN state = 'sending' THEN due_at ELSE now() END,
          ended_at = NULL
        FROM endpoint WHERE delivery.id = ${deliveryId} AND endpoint_id = endpoint.id
        RETURNING delivery.*
      ),
      made_due AS (
        UPDATE notification_endpoints SET next_due_at = LEAST(next_due_at, now())
        WHERE id IN (SELECT endpoint_id FROM again)
      )
      SELECT ${deliveryColumns} FROM again AS delivery`,
  );
}
