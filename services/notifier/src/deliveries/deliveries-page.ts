import type { Api } from '@expert-relay/contracts';
import { empty, type Query, type Sql, sql } from '@expert-relay/db';
import { type Cursor, formatCursor, pageSchema, parseCursor } from '@expert-relay/kit/http';
import { Problem } from '@expert-relay/kit/problem';
import * as z from 'zod';
import { isOld } from './delete-old.ts';

export const deliveryColumns: Sql = sql`delivery.id, type, request_id AS "requestId", ref_code AS "refCode",
  message_id AS "messageId", state::text AS state, attempts, delivery.created_at AS "createdAt",
  CASE WHEN state = 'waiting' THEN due_at END AS "nextAttemptAt", ended_at AS "endedAt", reason,
  status_code AS "statusCode", response, duration_ms AS "durationMs"`;

/** Without the members that have no value. */
export const deliveryBody = (row: object): Api.Delivery =>
  Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)) as unknown as Api.Delivery;

/** A page of the deliveries of an endpoint that are not old, newest first. `isOwn` is a condition on the endpoint. */
export async function deliveriesPage(
  query: Query,
  isOwn: Sql,
  { endpointId, after, limit }: { endpointId: string; after?: Cursor | undefined; limit: number },
): Promise<Api.Deliveries> {
  const [known] = await query`
    SELECT 1 FROM notification_endpoints WHERE id = ${endpointId}::uuid AND ${isOwn}`;
  if (!known) throw new Problem('not_found');
  const isAfter = after ? sql`AND (created_at, id) < (${after.at}::timestamptz, ${after.id})` : empty;
  const rows = await query`
    SELECT ${deliveryColumns} FROM notification_deliveries AS delivery
    WHERE endpoint_id = ${endpointId}::uuid AND ${isOld} IS NOT TRUE ${isAfter}
    ORDER BY created_at DESC, id DESC LIMIT ${limit + 1}::int`;
  const deliveries = rows.slice(0, limit).map(deliveryBody);
  const last = rows.length > limit ? deliveries.at(-1) : undefined;
  return { deliveries, ...(last && { next: formatCursor({ at: last.createdAt, id: last.id }) }) };
}

/** The query of a call that lists deliveries. */
export const deliveriesQuery = z.object(
  pageSchema({ parseCursor: (text) => parseCursor(text, /^msg_[0-9a-f]{32}$/), limit: 50 }),
);
