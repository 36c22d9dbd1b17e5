import { type Postgres, type Query, sql } from '@expert-relay/db';
import { Problem } from '@expert-relay/kit/problem';
import { makeSecret } from '../signatures/sign.ts';
import type { Sealed, Target, TargetSealer } from './seal.ts';
import { checkEvents, type Manager, managedBy } from './webhook-form.ts';

/** A webhook as its owner sees it. Only the answers that make a secret contain it. */
export interface Webhook {
  readonly id: string;
  /** Of the consumer key whose requests it is notified of; absent for a webhook of the user. */
  readonly keyId?: string;
  readonly url: string;
  readonly events: readonly string[];
  readonly createdAt: string;
  readonly enabled: boolean;
  /** Why it is off: `owner`, `failing` or `gone`. */
  readonly offReason?: string;
  /** The first failure since the last success. */
  readonly failingSince?: string;
}

interface Row extends Sealed {
  id: string;
  keyId: string | null;
  events: string[];
  createdAt: string;
  enabledAt: string | null;
  offReason: string | null;
  failingSince: string | null;
  nowMs: number;
}

const columns = sql`id, api_key_id AS "keyId", events, sealed_key AS "sealedKey", sealed, created_at AS "createdAt", enabled_at AS "enabledAt",
  off_reason AS "offReason", failing_since AS "failingSince",
  (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS "nowMs"`;

const webhookOf = (row: Row, { url }: Pick<Target, 'url'>): Webhook => ({
  id: row.id,
  ...(row.keyId !== null && { keyId: row.keyId }),
  url,
  events: row.events,
  createdAt: row.createdAt,
  enabled: row.enabledAt !== null,
  ...(row.offReason !== null && { offReason: row.offReason }),
  ...(row.failingSince !== null && { failingSince: row.failingSince }),
});

const maxOfUser = 50;
const maxOfKey = 3;

export interface Webhooks {
  insert(
    manager: Manager,
    webhook: { id: string; url: string; events: readonly string[] },
  ): Promise<Webhook & { secret: string }>;
  list(manager: Manager): Promise<Webhook[]>;
  change(
    manager: Manager,
    id: string,
    change: {
      url?: string | null | undefined;
      events?: readonly string[] | null | undefined;
      enabled?: boolean | null | undefined;
    },
  ): Promise<Webhook>;
  rotate(
    manager: Manager,
    id: string,
    rotation: { callId: string; graceSeconds: number },
  ): Promise<Webhook & { secret: string }>;
  delete(manager: Manager, id: string): Promise<void>;
}

/** The webhooks in Postgres. Their addresses and secrets are encrypted. */
export function createWebhooks(options: {
  database: Pick<Postgres, 'query' | 'transact'>;
  sealer: TargetSealer;
}): Webhooks {
  const { database, sealer } = options;

  /** Locks a webhook, and stores what `next` makes of it. */
  const update = (
    manager: Manager,
    id: string,
    next: (target: Target, row: Row) => { target: Target; events?: readonly string[]; enabled?: boolean },
  ) =>
    database.transact(async (query) => {
      const [row] = await query<Row>`
        SELECT ${columns} FROM notification_endpoints
        WHERE id = ${id}::uuid AND ${managedBy(manager)} FOR NO KEY UPDATE`;
      if (!row) throw new Problem('not_found');
      const {
        target,
        events = row.events,
        enabled = row.enabledAt !== null,
      } = next(sealer.open(id, row), row);
      const { sealedKey, sealed } = sealer.seal(id, target);
      if (!enabled) await cancelWaiting(query, id);
      const [changed] = await query<Row>`
        UPDATE notification_endpoints SET sealed_key = ${sealedKey}, sealed = ${sealed}, events = ${events}::text[],
          enabled_at = CASE WHEN ${enabled} THEN COALESCE(enabled_at, date_trunc('milliseconds', now())) END,
          off_reason = CASE WHEN ${enabled} THEN NULL ELSE COALESCE(off_reason, 'owner') END,
          failures = CASE WHEN ${enabled} AND enabled_at IS NULL THEN 0 ELSE failures END,
          failing_since = CASE WHEN ${enabled} AND enabled_at IS NULL THEN NULL ELSE failing_since END
        WHERE id = ${id}::uuid RETURNING ${columns}`;
      return { webhook: webhookOf(changed ?? row, target), target };
    });

  return {
    insert: (manager, { id, url, events }) =>
      database.transact(async (query) => {
        const target = { url, secret: makeSecret() };
        const { sealedKey, sealed } = sealer.seal(id, target);
        const apiKeyId = manager.kind === 'consumer' ? manager.apiKeyId : null;
        await requireRoom(query, manager, id);
        const [row] = await query<Row>`
          INSERT INTO notification_endpoints (
            id, owner_id, user_id, api_key_id, channel, events, sealed_key, sealed, enabled_at)
          VALUES (${id}::uuid, ${manager.userId}::uuid, ${manager.userId}::uuid, ${apiKeyId}::uuid, 'webhook',
            ${events}::text[], ${sealedKey}, ${sealed}, date_trunc('milliseconds', now()))
          -- A repeated call gets a new secret, since the answer with the first one did not arrive.
          ON CONFLICT (id) DO UPDATE SET sealed_key = EXCLUDED.sealed_key, sealed = EXCLUDED.sealed
          RETURNING ${columns}`;
        if (!row) throw new Error('the webhook was not inserted');
        return { ...webhookOf(row, target), secret: target.secret };
      }),

    async list(manager) {
      const rows = await database.query<Row>`
        SELECT ${columns} FROM notification_endpoints WHERE ${managedBy(manager)} ORDER BY created_at, id`;
      return rows.map((row) => webhookOf(row, sealer.open(row.id, row)));
    },

    async change(manager, id, { url, events, enabled }) {
      const { webhook } = await update(manager, id, (target, row) => ({
        target: { ...target, url: url ?? target.url },
        ...(events && { events: checkEvents(events, row.keyId !== null) }),
        ...(typeof enabled === 'boolean' && { enabled }),
      }));
      return webhook;
    },

    async rotate(manager, id, { callId, graceSeconds }) {
      const { webhook, target } = await update(
        manager,
        id,
        ({ url, secret, previous, rotatedBy }, { nowMs }) => ({
          target: {
            url,
            secret: makeSecret(),
            // Of a repeated call, the first secret did not arrive: the one before it stays the previous one.
            ...(rotatedBy === callId
              ? previous && { previous }
              : { previous: { secret, endsAt: nowMs + 1_000 * graceSeconds } }),
            rotatedBy: callId,
          },
        }),
      );
      return { ...webhook, secret: target.secret };
    },

    async delete(manager, id) {
      const rows = await database.query`
        DELETE FROM notification_endpoints WHERE id = ${id}::uuid AND ${managedBy(manager)} RETURNING 1`;
      if (rows.length === 0) throw new Problem('not_found');
    },
  };
}

/** Throws when the user, or the consumer key, has too many webhooks. The lock makes creations of one user run in turn. */
async function requireRoom(query: Query, manager: Manager, id: string): Promise<void> {
  const [user] = await query`SELECT 1 FROM users WHERE id = ${manager.userId}::uuid FOR NO KEY UPDATE`;
  if (!user) throw new Problem('unauthorized');
  const [counts] = await query<{ ofUser: number; ofKey: number }>`
    SELECT count(*)::int AS "ofUser", count(*) FILTER (WHERE api_key_id = ${manager.kind === 'consumer' ? manager.apiKeyId : null}::uuid)::int AS "ofKey"
    FROM notification_endpoints WHERE user_id = ${manager.userId}::uuid AND id <> ${id}::uuid`;
  if (!counts || counts.ofUser >= maxOfUser || counts.ofKey >= maxOfKey)
    throw new Problem('too_many_webhooks');
}

const cancelWaiting = (query: Query, id: string) => query`
  UPDATE notification_deliveries SET state = 'cancelled', ended_at = now()
  WHERE endpoint_id = ${id}::uuid AND state = 'waiting'`;
