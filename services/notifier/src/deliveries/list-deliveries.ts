import { empty, type Query, type Sql, sql } from '@expert-relay/db';
import { Problem } from '@expert-relay/kit/problem';
import { type Manager, managedBy } from '../endpoints/webhook-form.ts';

/** A delivery as its owner sees it. */
export interface Delivery {
  readonly id: string;
  readonly type: string;
  readonly requestId?: string;
  readonly refCode?: string;
  readonly messageId?: string;
  readonly state: 'waiting' | 'sending' | 'delivered' | 'failed' | 'cancelled';
  readonly attempts: number;
  readonly createdAt: string;
  /** While it waits. */
  readonly nextAttemptAt?: string;
  readonly endedAt?: string;
  readonly reason?: string;
  readonly statusCode?: number;
  readonly response?: string;
  readonly durationMs?: number;
}

export const deliveryColumns: Sql = sql`delivery.id, type, request_id AS "requestId", ref_code AS "refCode",
  message_id AS "messageId", state::text AS state, attempts, delivery.created_at AS "createdAt",
  CASE WHEN state = 'waiting' THEN due_at END AS "nextAttemptAt", ended_at AS "endedAt", reason,
  status_code AS "statusCode", response, duration_ms AS "durationMs"`;

/** Without the members that have no value. */
export const deliveryBody = (row: object): Delivery =>
  Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)) as unknown as Delivery;

export interface DeliveryCursor {
  readonly createdAt: string;
  readonly id: string;
}

/** The deliveries of a webhook of the last seven days, newest first: up to `limit`, and one more if there are more. */
export async function listDeliveries(
  query: Query,
  manager: Manager,
  { webhookId, after, limit }: { webhookId: string; after?: DeliveryCursor | undefined; limit: number },
): Promise<Delivery[]> {
  const [known] = await query`
    SELECT 1 FROM notification_endpoints WHERE id = ${webhookId}::uuid AND ${managedBy(manager)}`;
  if (!known) throw new Problem('not_found');
  const isAfter = after ? sql`AND (created_at, id) < (${after.createdAt}::timestamptz, ${after.id})` : empty;
  const rows = await query`
    SELECT ${deliveryColumns} FROM notification_deliveries AS delivery
    WHERE endpoint_id = ${webhookId}::uuid AND created_at > now() - interval '7 days' ${isAfter}
    ORDER BY created_at DESC, id DESC LIMIT ${limit + 1}::int`;
  return rows.map(deliveryBody);
}

export const formatDeliveryCursor = ({ createdAt, id }: DeliveryCursor): string =>
  Buffer.from(`${createdAt} ${id}`).toString('base64url');

export function parseDeliveryCursor(text: string): DeliveryCursor | undefined {
  const [createdAt = '', id = '', ...rest] = Buffer.from(text, 'base64url').toString('latin1').split(' ');
  const time = /^[12]\d{3}-/.test(createdAt) ? Date.parse(createdAt) : Number.NaN;
  const isTime = !Number.isNaN(time) && new Date(time).toISOString() === createdAt;
  return isTime && /^msg_[0-9a-f]{32}$/.test(id) && rest.length === 0 ? { createdAt, id } : undefined;
}
