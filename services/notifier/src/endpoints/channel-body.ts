import type { Api } from '@expert-relay/contracts';
import { type Sql, sql } from '@expert-relay/db';
import type { PeopleChannel } from './channel-form.ts';
import type { Sealed, Targets } from './seal.ts';

export interface ChannelRow extends Sealed {
  readonly id: string;
  readonly channel: PeopleChannel;
  readonly label: string | null;
  readonly delaySeconds: number;
  readonly showQuestion: boolean;
  readonly confirmedAt: string | null;
  readonly sessionId: string | null;
  readonly hasSessionTimedOut: boolean;
  readonly digest: string | null;
  readonly createdAt: string;
  readonly enabledAt: string | null;
  readonly offReason: NonNullable<Api.Channel['offReason']> | null;
  readonly failingSince: string | null;
  readonly nowMs: number;
  readonly last?: {
    readonly state: Api.DeliveryState;
    readonly at: string;
    readonly reason: Api.DeliveryFailure | null;
  } | null;
}

/** Columns of `notification_endpoints`. */
export const channelColumns: Sql = sql`
  id, channel::text AS channel, label, delay_seconds AS "delaySeconds", show_question AS "showQuestion",
  confirmed_at AS "confirmedAt", session_id AS "sessionId",
  (session_ends_at > now()) IS NOT TRUE AS "hasSessionTimedOut", encode(target_digest, 'hex') AS digest,
  created_at AS "createdAt", enabled_at AS "enabledAt", off_reason AS "offReason", failing_since AS "failingSince",
  sealing_key_id AS "sealingKeyId", sealed, (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS "nowMs"`;

/** The newest delivery of the row of `notification_endpoints`, whose time is that of its newest change. */
export const lastDelivery: Sql = sql`(
  SELECT json_build_object('state', state::text, 'reason', reason,
    'at', to_char(COALESCE(ended_at, delivery.created_at) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
  FROM notification_deliveries AS delivery WHERE endpoint_id = notification_endpoints.id
  ORDER BY delivery.created_at DESC, delivery.id DESC LIMIT 1) AS last`;

/**
 * The channel for a session of its user. Without a target, which cannot be read then, it has no address and counts as off. Its owner
 * can delete it.
 */
export function channelBody(
  row: ChannelRow,
  target: Targets[PeopleChannel] | undefined,
  sessionId: string,
): Api.Channel {
  const { last } = row;
  const offReason = target ? row.offReason : 'unreadable';
  return {
    id: row.id,
    kind: row.channel,
    label: row.label,
    ...(target && { address: shownAddress(target) }),
    ...(row.channel === 'push' && row.digest !== null && { subscriptionDigest: row.digest }),
    ...(target && 'pushKey' in target && row.digest !== null && { pushKey: target.pushKey }),
    ...(row.channel === 'push' && { ofThisSession: row.sessionId === sessionId }),
    ...(row.channel === 'push' && row.hasSessionTimedOut && { sessionTimedOut: true }),
    enabled: target !== undefined && row.enabledAt !== null,
    confirmed: row.channel !== 'email' || row.confirmedAt !== null,
    delaySeconds: row.delaySeconds,
    showQuestion: row.showQuestion,
    ...(offReason !== null && { offReason }),
    ...(row.failingSince !== null && { failingSince: row.failingSince }),
    createdAt: row.createdAt,
    lastDelivery: last
      ? { state: last.state, at: last.at, ...(last.reason !== null && { reason: last.reason }) }
      : null,
  };
}

function shownAddress(target: Targets[PeopleChannel]): string {
  if ('address' in target) return target.address;
  return new URL('endpoint' in target ? target.endpoint : target.url).host;
}
