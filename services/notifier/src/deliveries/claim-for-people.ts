import { excerptLength } from '@expert-relay/contracts';
import { type FormKind, type Postgres, type Query, type Sql, sql } from '@expert-relay/db';
import type { PeopleChannel } from '../endpoints/channel-form.ts';
import type { NoticeType } from '../endpoints/delivery-types.ts';
import type { EndpointKind } from '../endpoints/seal.ts';
import { quietUntil, type StoredTimes, storedTimes } from '../endpoints/settings.ts';
import { channelWindow } from './channel-window.ts';
import { claimedColumns, lease } from './claimed-columns.ts';
import { isUsable, mustStillNotify } from './recipients.ts';
import { endpointsOff } from './report-off.ts';

/** Deliveries that are put together in one message to a person, and where it goes. */
export interface ClaimedNotice {
  /** The same at each attempt to send it. */
  readonly id: string;
  readonly channel: PeopleChannel;
  readonly endpointId: string;
  readonly userId: string;
  readonly sealingKeyId: string;
  readonly sealed: Buffer;
  readonly deliveries: readonly NoticeDelivery[];
}

export interface NoticeDelivery {
  readonly id: string;
  readonly attempt: number;
  readonly type: NoticeType;
  /** Absent for tests, confirmations and the type `endpoint.off`. */
  readonly requestId: string | null;
  readonly refCode: string | null;
  /** The name that the agent gave itself, or else that of its key. */
  readonly agentName: string | null;
  /** What the agent asks for besides words. */
  readonly form: FormKind | null;
  /** Absent unless the owner wants questions to be shown. */
  readonly question: string | null;
  /** Until the request expires. */
  readonly secondsLeft: number | null;
  /** Of the type `endpoint.off`: the endpoints that are off. */
  readonly endpointsOff: readonly EndpointOff[] | null;
}

/** An endpoint that was switched off because it failed. */
export interface EndpointOff {
  readonly channel: EndpointKind;
  /** Of the agent's key, or of the channel. */
  readonly name: string | null;
  readonly reason: 'failing' | 'gone';
}

/** How many notices may be claimed. */
export interface FreePeopleSlots {
  readonly ofChannels: Readonly<Record<PeopleChannel, number>>;
  /** The users who are passed over. */
  readonly busyUsers: readonly string[];
}

/** Notices of one user that one claim takes. */
export const noticesPerUser = 4;

/** In one message. The next one contains the rest. */
const perMessage = 50;
/** A push stands for one request, so this is also the number of its notices. */
const perPush = noticesPerUser;

/** What is sent even if the person is not to be notified now: the person has just asked for it. */
const isAskedFor = sql`type IN ('channel.test', 'channel.confirm')`;

/** What is put together in one message: everything but tests, confirmations, the report of endpoints, and requests of push. */
const kindOfNotice = sql`
  CASE WHEN channel = 'push' OR ${isAskedFor} THEN COALESCE(next.request_id, next.id)
    WHEN next.type = 'endpoint.off' THEN next.type END`;

type ClaimedRow = NoticeDelivery & Omit<ClaimedNotice, 'id' | 'deliveries'> & { readonly sentWith: string };

interface Locked extends StoredTimes {
  id: string;
  channel: PeopleChannel;
  userId: string;
}

/**
 * Claims what is due for people, at most one notice of each channel at a time: what an expert has answered meanwhile, and what
 * belongs to requests that have ended, is cancelled. The endpoints are locked first, in a statement of their own, as for webhooks.
 *
 * A message that failed, or whose process died, may have arrived. So it is repeated with the deliveries that it had, and never with
 * newer ones: a mailbox drops what has a known id. Newer ones come in the next message, which keeps its distance in time.
 */
export function claimForPeople(
  database: Pick<Postgres, 'transact'>,
  freeSlots: FreePeopleSlots,
): Promise<ClaimedNotice[]> {
  const { ofChannels } = freeSlots;
  return database.transact(async (query) => {
    const locked = await lockDue(query, freeSlots);
    if (locked.length === 0) return [];
    const rows = await query<ClaimedRow>`
      WITH endpoint AS MATERIALIZED (
        SELECT endpoint.*, ${isUsable} AS is_usable, ${channelWindow} AS "window", quiet.until AS quiet_until,
          CASE WHEN endpoint.channel = 'email' THEN ${endpointsOff} END AS endpoints_off,
          (SELECT min(due_at) FROM notification_deliveries AS other
            WHERE endpoint_id = endpoint.id AND state = 'sending' AND due_at > now()) AS lease_end
        FROM unnest(${locked.map(({ id }) => id)}::uuid[], ${locked.map(quietUntil)}::timestamptz[]) AS quiet (id, until)
        JOIN notification_endpoints AS endpoint ON endpoint.id = quiet.id
      ),
      due AS MATERIALIZED (
        SELECT endpoint.id AS endpoint_id, next.id, next.due_at,
          first_value(COALESCE(next.sent_with, next.id)) OVER (
            PARTITION BY endpoint.id, ${kindOfNotice} ORDER BY next.due_at, next.id) AS notice,
          CASE
          WHEN next.type = 'channel.confirm' THEN enabled_at IS NOT NULL AND confirmed_at IS NULL
          WHEN NOT is_usable THEN false
          WHEN next.type = 'channel.test' THEN true
          WHEN next.type = 'endpoint.off' THEN endpoints_off IS NOT NULL
          WHEN next.type = 'request.answered' THEN EXISTS (
            SELECT 1 FROM notification_deliveries AS earlier
            WHERE earlier.endpoint_id = endpoint.id AND earlier.request_id = next.request_id AND earlier.state = 'delivered')
          ELSE ${mustStillNotify({ eventAt: sql`next.event_at` })} END AS is_needed
        FROM endpoint CROSS JOIN LATERAL (
          SELECT id, type, request_id, event_at, due_at, sent_with,
            first_value(due_at) OVER by_due AS first_due_at, first_value(sent_with) OVER by_due AS first_sent_with
          FROM notification_deliveries
          WHERE endpoint_id = endpoint.id AND state IN ('waiting', 'sending') AND lease_end IS NULL
            AND due_at <= now() + CASE WHEN sent_with IS NULL THEN "window" ELSE interval '0' END
            AND (${isAskedFor} OR (quiet_until IS NULL AND (sent_with IS NOT NULL OR sent_at IS NULL OR sent_at <= now() - "window")))
          WINDOW by_due AS (ORDER BY due_at, id)
          ORDER BY due_at, id LIMIT CASE channel WHEN 'push' THEN ${perPush}::int ELSE ${perMessage}::int END) AS next
        LEFT JOIN help_requests AS request ON request.id = next.request_id
        WHERE first_due_at <= now() AND (channel = 'push' OR sent_with IS NOT DISTINCT FROM first_sent_with)
      ),
      notices AS (
        SELECT notice, user_id, channel, min(due_at) AS due_at,
          row_number() OVER (PARTITION BY user_id ORDER BY min(due_at), notice) AS rank_of_user
        FROM due JOIN endpoint ON endpoint.id = due.endpoint_id WHERE is_needed GROUP BY notice, user_id, channel
      ),
      sendable AS (
        SELECT notice, channel, row_number() OVER (PARTITION BY channel ORDER BY rank_of_user, due_at, notice) AS rank_of_channel
        FROM notices WHERE rank_of_user <= ${noticesPerUser}::int
      ),
      chosen AS MATERIALIZED (
        -- What is not needed is cancelled, which takes no slot.
        SELECT id, notice, is_needed FROM due WHERE NOT is_needed OR notice IN (
          SELECT notice FROM sendable WHERE rank_of_channel <= CASE channel
            WHEN 'push' THEN ${ofChannels.push}::int WHEN 'email' THEN ${ofChannels.email}::int ELSE ${ofChannels.chat}::int END)
      ),
      claimed AS (
        UPDATE notification_deliveries AS delivery SET ${claimedColumns}, sent_with = notice
        FROM chosen WHERE delivery.id = chosen.id AND state IN ('waiting', 'sending')
        RETURNING delivery.*
      ),
      rescheduled AS (
        UPDATE notification_endpoints SET
          sent_at = CASE WHEN EXISTS (
            SELECT 1 FROM claimed WHERE endpoint_id = endpoint.id AND state = 'sending' AND NOT ${isAskedFor})
            THEN now() ELSE endpoint.sent_at END,
          next_due_at = CASE
            WHEN EXISTS (SELECT 1 FROM claimed WHERE endpoint_id = endpoint.id AND state = 'sending') THEN now() + ${lease}
            WHEN lease_end IS NOT NULL THEN lease_end
            ELSE (
              SELECT min(CASE WHEN ${isAskedFor} THEN due_at
                ELSE GREATEST(due_at, quiet_until, CASE WHEN sent_with IS NULL THEN endpoint.sent_at + "window" END) END)
              FROM notification_deliveries AS live
              WHERE live.endpoint_id = endpoint.id AND state IN ('waiting', 'sending')
                AND NOT EXISTS (SELECT 1 FROM chosen WHERE chosen.id = live.id)
            ) END
        FROM endpoint WHERE notification_endpoints.id = endpoint.id
      )
      SELECT endpoint.channel::text AS channel, endpoint.id AS "endpointId", endpoint.user_id AS "userId",
        endpoint.sealing_key_id AS "sealingKeyId", endpoint.sealed, sent_with AS "sentWith", claimed.id, attempts AS attempt, type,
        claimed.request_id AS "requestId", claimed.ref_code AS "refCode",
        COALESCE(agent_name, (SELECT name FROM api_keys WHERE api_keys.id = request.consumer_key_id)) AS "agentName",
        form_kind AS form,
        CASE WHEN show_question AND (endpoint.channel <> 'push' OR session_ends_at > now())
          THEN left(request.question, ${excerptLength}::int) END AS question,
        extract(epoch FROM request.expires_at - now())::float8 AS "secondsLeft",
        CASE WHEN type = 'endpoint.off' THEN endpoints_off END AS "endpointsOff"
      FROM claimed JOIN endpoint ON endpoint.id = claimed.endpoint_id
      LEFT JOIN help_requests AS request ON request.id = claimed.request_id
      WHERE claimed.state = 'sending' ORDER BY claimed.event_at, claimed.id`;
    return noticesOf(rows);
  });
}

const lockOf = (channel: PeopleChannel, { ofChannels, busyUsers }: FreePeopleSlots): Sql => sql`(
  SELECT id FROM notification_endpoints
  WHERE channel = ${channel}::notification_channel AND next_due_at <= now() AND user_id <> ALL(${busyUsers}::uuid[])
  ORDER BY next_due_at LIMIT ${ofChannels[channel]}::int FOR NO KEY UPDATE SKIP LOCKED)`;

const lockDue = (query: Query, freeSlots: FreePeopleSlots): Promise<Locked[]> => query<Locked>`
  WITH push AS MATERIALIZED ${lockOf('push', freeSlots)}, email AS MATERIALIZED ${lockOf('email', freeSlots)},
    chat AS MATERIALIZED ${lockOf('chat', freeSlots)},
    locked AS (SELECT id FROM push UNION ALL SELECT id FROM email UNION ALL SELECT id FROM chat)
  SELECT endpoint.id, endpoint.channel::text AS channel, endpoint.user_id AS "userId",
    ${storedTimes}
  FROM locked JOIN notification_endpoints AS endpoint ON endpoint.id = locked.id
  LEFT JOIN notification_settings AS settings ON settings.user_id = endpoint.user_id`;

/** The rows of a message together. */
function noticesOf(rows: readonly ClaimedRow[]): ClaimedNotice[] {
  const notices = new Map<string, ClaimedNotice & { deliveries: NoticeDelivery[] }>();
  for (const { channel, endpointId, userId, sealingKeyId, sealed, sentWith: id, ...delivery } of rows) {
    const notice = notices.get(id) ?? {
      id,
      channel,
      endpointId,
      userId,
      sealingKeyId,
      sealed,
      deliveries: [],
    };
    notice.deliveries.push(delivery);
    notices.set(id, notice);
  }
  return [...notices.values()];
}
