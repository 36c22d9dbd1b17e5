import type { Api } from '@expert-relay/contracts';
import { type Party, type Postgres, type Query, sql } from '@expert-relay/db';
import { Problem } from '@expert-relay/kit/problem';
import { makeSecret } from '../signatures/sign.ts';
import { lockUser, requireEndpointLimit, switchEndpoint } from './endpoint-rows.ts';
import type { Sealed, TargetSealer, WebhookTarget } from './seal.ts';
import { checkEvents, managedBy, unknownKey } from './webhook-form.ts';

interface Row extends Sealed {
  id: string;
  keyId: string | null;
  events: Api.WebhookEvents;
  createdAt: string;
  enabledAt: string | null;
  offReason: NonNullable<Api.WebhookWithSecret['offReason']> | null;
  failingSince: string | null;
  nowMs: number;
}

const columns = sql`id, api_key_id AS "keyId", events, sealing_key_id AS "sealingKeyId", sealed, created_at AS "createdAt", enabled_at AS "enabledAt",
  off_reason AS "offReason", failing_since AS "failingSince",
  (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS "nowMs"`;

const webhookOf = (row: Row, { url }: Pick<WebhookTarget, 'url'>): Omit<Api.WebhookWithSecret, 'secret'> => ({
  id: row.id,
  ...(row.keyId !== null && { keyId: row.keyId }),
  url,
  events: row.events,
  createdAt: row.createdAt,
  enabled: row.enabledAt !== null,
  ...(row.offReason !== null && { offReason: row.offReason }),
  ...(row.failingSince !== null && { failingSince: row.failingSince }),
});

/** A webhook whose address cannot be read counts as off. Its owner can delete it. */
function unreadableWebhook(row: Row): Api.Webhook {
  const { url, ...others } = webhookOf(row, { url: '' });
  return { ...others, enabled: false, offReason: 'unreadable' };
}

export interface Webhooks {
  insert(
    party: Party,
    webhook: {
      id: string;
      /** Of the consumer key of whose requests it is notified. A consumer key makes its own. */
      keyId?: string | null | undefined;
      url: string;
      /** All that there are for it if none are named. */
      events?: readonly string[] | null | undefined;
    },
  ): Promise<Api.WebhookWithSecret>;
  list(party: Party): Promise<Api.Webhook[]>;
  change(
    party: Party,
    id: string,
    change: {
      url?: string | null | undefined;
      events?: readonly string[] | null | undefined;
      enabled?: boolean | null | undefined;
    },
  ): Promise<Api.Webhook>;
  rotate(
    party: Party,
    id: string,
    rotation: { callId: string; graceSeconds: number },
  ): Promise<Api.WebhookWithSecret>;
  delete(party: Party, id: string): Promise<void>;
}

/** The webhooks in Postgres. Their addresses and secrets are encrypted. */
export function createWebhooks(options: {
  database: Pick<Postgres, 'query' | 'transact'>;
  sealer: TargetSealer;
}): Webhooks {
  const { database, sealer } = options;

  /** Locks a webhook, and stores what `next` makes of it. */
  const update = (
    party: Party,
    id: string,
    next: (
      target: WebhookTarget,
      row: Row,
    ) => { target: WebhookTarget; events?: readonly string[]; enabled?: boolean },
  ) =>
    database.transact(async (query) => {
      const [row] = await query<Row>`
        SELECT ${columns} FROM notification_endpoints
        WHERE id = ${id}::uuid AND ${managedBy(party)} FOR NO KEY UPDATE`;
      if (!row) throw new Problem('not_found');
      const known = sealer.tryOpen<'webhook'>(id, row);
      if (!known) throw new Problem('webhook_off');
      const { target, events = row.events, enabled = row.enabledAt !== null } = next(known, row);
      const { sealingKeyId, sealed } = sealer.seal(id, target);
      await switchEndpoint(query, id, enabled);
      const [changed] = await query<Row>`
        UPDATE notification_endpoints SET sealing_key_id = ${sealingKeyId}, sealed = ${sealed}, events = ${events}::text[]
        WHERE id = ${id}::uuid RETURNING ${columns}`;
      return { webhook: webhookOf(changed ?? row, target), target };
    });

  return {
    insert: (party, { id, keyId, url, events: wanted }) =>
      database.transact(async (query) => {
        const target = { url, secret: makeSecret() };
        const { sealingKeyId, sealed } = sealer.seal(id, target);
        const apiKeyId = party.kind === 'consumer' ? party.apiKeyId : (keyId ?? null);
        const events = checkEvents(wanted, apiKeyId !== null);
        await lockUser(query, party.userId);
        await requireEndpointLimit(query, party.userId, { id, apiKeyId, code: 'too_many_webhooks' });
        if (apiKeyId !== null) await requireKey(query, party.userId, apiKeyId);
        const [row] = await query<Row>`
          INSERT INTO notification_endpoints (
            id, user_id, api_key_id, channel, events, sealing_key_id, sealed, enabled_at)
          VALUES (${id}::uuid, ${party.userId}::uuid, ${apiKeyId}::uuid, 'webhook',
            ${events}::text[], ${sealingKeyId}, ${sealed}, date_trunc('milliseconds', now()))
          -- A repeated call gets a new secret, since the response with the first one did not arrive.
          ON CONFLICT (id) DO UPDATE SET sealing_key_id = EXCLUDED.sealing_key_id, sealed = EXCLUDED.sealed
          RETURNING ${columns}`;
        if (!row) throw new Error('the webhook was not inserted');
        return { ...webhookOf(row, target), secret: target.secret };
      }),

    async list(party) {
      const rows = await database.query<Row>`
        SELECT ${columns} FROM notification_endpoints WHERE ${managedBy(party)} ORDER BY created_at, id`;
      return rows.map((row) => {
        const target = sealer.tryOpen<'webhook'>(row.id, row);
        return target ? webhookOf(row, target) : unreadableWebhook(row);
      });
    },

    async change(party, id, { url, events, enabled }) {
      const { webhook } = await update(party, id, (target, row) => ({
        target: { ...target, url: url ?? target.url },
        ...(events && { events: checkEvents(events, row.keyId !== null) }),
        ...(typeof enabled === 'boolean' && { enabled }),
      }));
      return webhook;
    },

    async rotate(party, id, { callId, graceSeconds }) {
      const { webhook, target } = await update(
        party,
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

    async delete(party, id) {
      const rows = await database.query`
        DELETE FROM notification_endpoints WHERE id = ${id}::uuid AND ${managedBy(party)} RETURNING 1`;
      if (rows.length === 0) throw new Problem('not_found');
    },
  };
}

async function requireKey(query: Query, userId: string, apiKeyId: string): Promise<void> {
  const [key] = await query`
    SELECT 1 FROM api_keys
    WHERE id = ${apiKeyId}::uuid AND user_id = ${userId}::uuid AND kind = 'consumer' AND revoked_at IS NULL`;
  if (!key) throw unknownKey();
}
