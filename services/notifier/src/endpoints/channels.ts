import { createHash } from 'node:crypto';
import type { Api } from '@expert-relay/contracts';
import { isSessionOpen, type Postgres, type Query, type Sql, sql } from '@expert-relay/db';
import type { SessionPrincipal } from '@expert-relay/kit/principal';
import { Problem } from '@expert-relay/kit/problem';
import { type ChannelRow, channelBody, channelColumns, lastDelivery } from './channel-body.ts';
import { checkDelay, defaultsOf, type NewChannel, type PeopleChannel } from './channel-form.ts';
import { type Confirmations, makeToken } from './confirmations.ts';
import { eventsOf } from './delivery-types.ts';
import { lockUser, requireEndpointLimit, switchEndpoint } from './endpoint-rows.ts';
import type { TargetSealer, Targets } from './seal.ts';

/** The channels of a user, as a condition on `notification_endpoints`. */
export const channelsOf = (userId: string): Sql => sql`(channel <> 'webhook' AND user_id = ${userId}::uuid)`;

type Address = { endpoint: string } | { address: string } | { url: string };

function addressOf(target: Address): string {
  if ('endpoint' in target) return target.endpoint;
  return 'url' in target ? target.url : target.address.toLowerCase();
}

export interface ChannelChange {
  readonly label?: string | null | undefined;
  readonly enabled?: boolean | null | undefined;
  readonly delaySeconds?: number | null | undefined;
  readonly showQuestion?: boolean | null | undefined;
}

/** The session that makes a call about channels. */
type Caller = Pick<SessionPrincipal, 'userId' | 'sessionId'>;

export type Channels = ReturnType<typeof createChannels>;

/** The channels of people in Postgres. Their addresses are encrypted. */
export function createChannels(options: {
  database: Pick<Postgres, 'query' | 'transact'>;
  sealer: TargetSealer;
  confirmations: Confirmations;
  /** The public keys with which browsers may subscribe: new ones with the first. */
  pushKeys: readonly string[];
  canEmail: boolean;
}) {
  const { database, sealer, confirmations, pushKeys, canEmail } = options;

  function targetOf(channel: NewChannel): Targets[PeopleChannel] {
    const [newest] = pushKeys;
    if ((channel.kind === 'push' && !newest) || (channel.kind === 'email' && !canEmail))
      throw new Problem('channel_not_offered');
    if (channel.kind === 'email') return { ...channel.target, unsubscribeToken: makeToken() };
    if (channel.kind === 'chat') return channel.target;
    const pushKey = channel.target.pushKey ?? newest ?? '';
    if (pushKeys.includes(pushKey)) return { ...channel.target, pushKey };
    const message = 'Expected the `pushKey` of `GET /api/notifications`.';
    throw new Problem('invalid_request', { fields: [{ path: 'pushKey', code: 'value', message }] });
  }

  /** The channel of this user with the same address. A push subscription of another user is removed. */
  async function findSame(query: Query, userId: string, channel: NewChannel): Promise<string | undefined> {
    if (channel.kind === 'push') {
      await query`
        DELETE FROM notification_endpoints
        WHERE target_digest = sha256(convert_to(${channel.target.endpoint}, 'UTF8')) AND user_id <> ${userId}::uuid`;
    }
    const rows = await query<ChannelRow>`
      SELECT ${channelColumns} FROM notification_endpoints
      WHERE ${channelsOf(userId)} AND channel = ${channel.kind}::notification_channel
      ORDER BY id FOR NO KEY UPDATE`;
    // A subscription that cannot be read is known by its digest, and is encrypted again with this call.
    const digest =
      channel.kind === 'push' && createHash('sha256').update(channel.target.endpoint).digest('hex');
    return rows.find((row) => {
      const target = sealer.tryOpen<PeopleChannel>(row.id, row);
      return target ? addressOf(target) === addressOf(channel.target) : digest && row.digest === digest;
    })?.id;
  }

  const read = async (query: Query, { userId, sessionId }: Caller, id: string): Promise<Api.Channel> => {
    const [row] = await query<ChannelRow>`
      SELECT ${channelColumns}, ${lastDelivery} FROM notification_endpoints
      WHERE id = ${id}::uuid AND ${channelsOf(userId)}`;
    if (!row) throw new Problem('not_found');
    return channelBody(row, sealer.tryOpen(row.id, row), sessionId);
  };

  /** Locks a channel of a user, or throws. */
  const lock = async (query: Query, id: string, isOwn: Sql): Promise<ChannelRow> => {
    const [row] = await query<ChannelRow>`
      SELECT ${channelColumns} FROM notification_endpoints WHERE id = ${id}::uuid AND ${isOwn} FOR NO KEY UPDATE`;
    if (!row) throw new Problem('not_found');
    return row;
  };

  async function change(query: Query, userId: string, id: string, changed: ChannelChange): Promise<void> {
    const row = await lock(query, id, channelsOf(userId));
    const { label, delaySeconds, showQuestion } = changed;
    if (typeof delaySeconds === 'number') checkDelay(row.channel, delaySeconds);
    await switchEndpoint(query, id, changed.enabled ?? row.enabledAt !== null);
    await query`
      UPDATE notification_endpoints SET label = COALESCE(${label ?? null}::text, label),
        delay_seconds = COALESCE(${delaySeconds ?? null}::int, delay_seconds),
        show_question = COALESCE(${showQuestion ?? null}::boolean, show_question)
      WHERE id = ${id}::uuid`;
  }

  return {
    async list({ userId, sessionId }: Caller): Promise<Api.Channel[]> {
      const rows = await database.query<ChannelRow>`
        SELECT ${channelColumns}, ${lastDelivery} FROM notification_endpoints
        WHERE ${channelsOf(userId)} ORDER BY created_at, id`;
      return rows.map((row) => channelBody(row, sealer.tryOpen(row.id, row), sessionId));
    },

    /** Makes a channel, or changes the one with the same address. */
    insert: (
      session: Omit<SessionPrincipal, 'kind'>,
      newId: string,
      channel: NewChannel,
    ): Promise<Api.Channel> =>
      database.transact(async (query) => {
        const { userId, sessionId, endsAt } = session;
        const { kind, label, showQuestion, delaySeconds } = channel;
        const target = targetOf(channel);
        await lockUser(query, userId);
        // A sign-out locks the user too: it deletes the subscription, or has ended the session before this.
        if (!(await isSessionOpen(query, session))) throw new Problem('unauthorized');
        const same = await findSame(query, userId, channel);
        const id = same ?? newId;
        const own = sealer.seal(id, target);
        if (same === undefined) {
          await requireEndpointLimit(query, userId, { id, apiKeyId: null, code: 'too_many_channels' });
          const defaults = defaultsOf(kind);
          await query`
            INSERT INTO notification_endpoints (id, user_id, channel, events, label, delay_seconds, show_question,
              sealing_key_id, sealed, enabled_at)
            VALUES (${id}::uuid, ${userId}::uuid, ${kind}::notification_channel, ${eventsOf[kind]}::text[],
              ${label ?? null}, ${delaySeconds ?? defaults.delaySeconds}::int, ${showQuestion ?? defaults.showQuestion},
              ${own.sealingKeyId}, ${own.sealed}, date_trunc('milliseconds', now()))`;
          if ('address' in target) await confirmations.send(query, { userId, id, callId: newId, target });
        } else await change(query, userId, id, { label, delaySeconds, showQuestion, enabled: true });
        if (channel.kind === 'push') {
          await query`
            UPDATE notification_endpoints SET sealing_key_id = ${own.sealingKeyId}, sealed = ${own.sealed},
              session_id = ${sessionId}::uuid, session_ends_at = to_timestamp(${endsAt / 1_000}::float8), target_digest = sha256(convert_to(${channel.target.endpoint}, 'UTF8'))
            WHERE id = ${id}::uuid`;
        }
        return await read(query, session, id);
      }),

    change: (caller: Caller, id: string, changed: ChannelChange): Promise<Api.Channel> =>
      database.transact(async (query) => {
        await change(query, caller.userId, id, changed);
        return await read(query, caller, id);
      }),

    async delete(userId: string, id: string): Promise<void> {
      const rows = await database.query`
        DELETE FROM notification_endpoints WHERE id = ${id}::uuid AND ${channelsOf(userId)} RETURNING 1`;
      if (rows.length === 0) throw new Problem('not_found');
    },

    /** Sends the email with the link that confirms an address once more. */
    sendConfirmation: (userId: string, id: string, callId: string): Promise<void> =>
      database.transact(async (query) => {
        const row = await lock(query, id, channelsOf(userId));
        if (row.channel !== 'email') throw new Problem('not_found');
        if (!canEmail) throw new Problem('channel_not_offered');
        if (row.confirmedAt !== null) return;
        const target = sealer.tryOpen<'email'>(id, row);
        if (!target) throw new Problem('channel_off');
        await switchEndpoint(query, id, true);
        await confirmations.send(query, { userId, id, callId, target });
      }),

    /** Confirms an address with the token of a link. From then on it is used. */
    confirm: (caller: Caller, id: string, token: string): Promise<Api.Channel> =>
      database.transact(async (query) => {
        const row = await lock(query, id, channelsOf(caller.userId));
        if (row.channel !== 'email') throw new Problem('not_found');
        if (row.confirmedAt === null) {
          confirmations.check(sealer.tryOpen<'email'>(id, row), token, row.nowMs);
          await query`
            UPDATE notification_endpoints SET confirmed_at = now(),
              enabled_at = CASE WHEN enabled_at IS NOT NULL THEN date_trunc('milliseconds', now()) END
            WHERE id = ${id}::uuid`;
        }
        return await read(query, caller, id);
      }),

    /**
     * Stops the emails to an address with the token of an email, which needs no session. The channel may be deleted: the address is
     * still remembered, so that it gets no other email. To be used again, it is confirmed again.
     */
    unsubscribe: (id: string, token: string): Promise<void> =>
      database.transact(async (query) => {
        const [row] = await query<ChannelRow>`
          SELECT ${channelColumns} FROM notification_endpoints
          WHERE id = ${id}::uuid AND channel = 'email' FOR NO KEY UPDATE`;
        const target = row && sealer.tryOpen<'email'>(id, row);
        if (!(await confirmations.stop(query, token, target)) || !target) return;
        await switchEndpoint(query, id, false, 'unsubscribed');
        const { confirmation: _, ...kept } = target;
        const { sealingKeyId, sealed } = sealer.seal(id, kept);
        await query`
          UPDATE notification_endpoints SET confirmed_at = NULL, sealing_key_id = ${sealingKeyId}, sealed = ${sealed}
          WHERE id = ${id}::uuid`;
      }),
  };
}
