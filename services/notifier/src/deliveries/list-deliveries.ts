import type { Api } from '@expert-relay/contracts';
import { empty, type Query, type Sql, sql } from '@expert-relay/db';
import { pageSchema } from '@expert-relay/kit/http';
import { Problem } from '@expert-relay/kit/problem';
import * as z from 'zod';

export const deliveryColumns: Sql = sql`delivery.id, type, request_id AS "requestId", ref_code AS "refCode",
  message_id AS "messageId", state::text AS state, attempts, delivery.created_at AS "createdAt",
  CASE WHEN state = 'waiting' THEN due_at END AS "nextAttemptAt", ended_at AS "endedAt", reason,
  status_code AS "statusCode", response, duration_ms AS "durationMs"`;

/** A page of deliveries, as answers contain it. */
export async function deliveriesPage(
  query: Query,
  isOwn: Sql,
  page: Parameters<typeof listDeliveries>[2],
): Promise<Api.Deliveries> {
  const found = await listDeliveries(query, isOwn, page);
  const deliveries = found.slice(0, page.limit);
  const last = found.length > page.limit ? deliveries.at(-1) : undefined;
  return { deliveries, ...(last && { next: formatDeliveryCursor(last) }) };
}

/** Without the members that have no value. */
export const deliveryBody = (row: object): Api.Delivery =>
  Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)) as unknown as Api.Delivery;

interface DeliveryCursor {
  readonly createdAt: string;
  readonly id: string;
}

/**
 * The deliveries of an endpoint of the last seven days, newest first: up to `limit`, and one more if there are more. `isOwn` is
 * a condition on the endpoint.
 */
async function listDeliveries(
  query: Query,
  isOwn: Sql,
  { endpointId, after, limit }: { endpointId: string; after?: DeliveryCursor | undefined; limit: number },
): Promise<Api.Delivery[]> {
  const [known] = await query`
    SELECT 1 FROM notification_endpoints WHERE id = ${endpointId}::uuid AND ${isOwn}`;
  if (!known) throw new Problem('not_found');
  const isAfter = after ? sql`AND (created_at, id) < (${after.createdAt}::timestamptz, ${after.id})` : empty;
  const rows = await query`
    SELECT ${deliveryColumns} FROM notification_deliveries AS delivery
    WHERE endpoint_id = ${endpointId}::uuid AND created_at > now() - interval '7 days' ${isAfter}
    ORDER BY created_at DESC, id DESC LIMIT ${limit + 1}::int`;
  return rows.map(deliveryBody);
}

const formatDeliveryCursor = ({ createdAt, id }: DeliveryCursor): string =>
  Buffer.from(`${createdAt} ${id}`).toString('base64url');

function parseDeliveryCursor(text: string): DeliveryCursor | undefined {
  const [createdAt = '', id = '', ...rest] = Buffer.from(text, 'base64url').toString('latin1').split(' ');
  const time = /^[12]\d{3}-/.test(createdAt) ? Date.parse(createdAt) : Number.NaN;
  const isTime = !Number.isNaN(time) && new Date(time).toISOString() === createdAt;
  return isTime && /^msg_[0-9a-f]{32}$/.test(id) && rest.length === 0 ? { createdAt, id } : undefined;
}

/** The query of a call that lists deliveries. */
export const deliveriesQuery = z.object(pageSchema({ parseCursor: parseDeliveryCursor, limit: 50 }));
