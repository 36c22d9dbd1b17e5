import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Query, Sql } from '@expert-relay/db';
import { Problem } from '@expert-relay/kit/problem';
import type { DeliveryType } from './delivery-types.ts';
import type { TargetSealer, Targets } from './seal.ts';

const linkLifetimeMs = 3 * 86_400_000;

export const makeToken = (): string => randomBytes(24).toString('base64url');

export type Confirmations = ReturnType<typeof createConfirmations>;

/** The links that confirm email addresses, and those that end emails. `deliveryParts` are the parts of a statement that send one. */
export function createConfirmations(options: {
  sealer: TargetSealer;
  deliveryParts: (delivery: { endpointId: string; type: DeliveryType; key: string }) => Sql;
}) {
  const { sealer, deliveryParts } = options;

  /** At most three emails an hour for a user, and three a day to an address. */
  async function requireConfirmationLimit(
    query: Query,
    userId: string,
    callId: string,
    address: string,
  ): Promise<void> {
    const digest = sealer.digest(mailboxOf(address));
    // A statement of its own, since the next one must see what those before it have inserted. Always the user first: two calls
    // that wait for each other would be a deadlock.
    await query`
      SELECT pg_advisory_xact_lock(hashtextextended(holder, 0))
      FROM unnest(${[userId, digest.toString('hex')]}::text[]) WITH ORDINALITY AS one (holder, number) ORDER BY number`;
    const [counted] = await query`
      WITH inserted AS (
        INSERT INTO notification_confirmations (id, user_id, address_digest)
        SELECT ${callId}::uuid, ${userId}::uuid, ${digest}
        WHERE (SELECT count(*) FROM notification_confirmations
            WHERE user_id = ${userId}::uuid AND created_at > now() - interval '1 hour') < 3
          AND (SELECT count(*) FROM notification_confirmations
            WHERE address_digest = ${digest} AND created_at > now() - interval '1 day') < 3
        ON CONFLICT (id) DO NOTHING RETURNING 1
      )
      SELECT 1 FROM inserted UNION ALL SELECT 1 FROM notification_confirmations WHERE id = ${callId}::uuid LIMIT 1`;
    if (!counted) throw new Problem('rate_limited', { headers: { 'retry-after': '3600' } });
  }

  /** The owner of an address may get emails again after a stop, if the account is the owner's by its verified sign-in address. */
  async function requireNotStopped(query: Query, userId: string, address: string): Promise<void> {
    const [stopped] = await query`
      SELECT 1 FROM notification_stop_links WHERE address_digest = ${digestOf(mailboxOf(address))} AND used_at IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM users WHERE id = ${userId}::uuid
          AND regexp_replace(lower(email), '^([^+@]+)\\+[^@]*@', '\\1@') = ${mailboxOf(address)})
      LIMIT 1`;
    if (stopped) throw new Problem('emails_stopped');
  }

  const rememberStopLink = (query: Query, { address, unsubscribeToken }: Targets['email']) => query`
    INSERT INTO notification_stop_links (token_digest, address_digest)
    VALUES (${digestOf(unsubscribeToken)}, ${digestOf(mailboxOf(address))})
    ON CONFLICT (token_digest) DO UPDATE SET sent_at = now()`;

  return {
    /** Makes a new link and sends it. Earlier links do not work any more. The endpoint is locked, or new. */
    async send(
      query: Query,
      call: { userId: string; id: string; callId: string; target: Targets['email'] },
    ): Promise<void> {
      const { userId, id, callId, target } = call;
      await requireNotStopped(query, userId, target.address);
      await requireConfirmationLimit(query, userId, callId, target.address);
      await rememberStopLink(query, target);
      const confirmation = { token: makeToken(), endsAt: Date.now() + linkLifetimeMs };
      const { sealingKeyId, sealed } = sealer.seal(id, { ...target, confirmation });
      await query`
        UPDATE notification_endpoints SET sealing_key_id = ${sealingKeyId}, sealed = ${sealed} WHERE id = ${id}::uuid`;
      await query`WITH ${deliveryParts({ endpointId: id, type: 'channel.confirm', key: callId })} SELECT 1 FROM inserted`;
    },

    check({ confirmation }: Partial<Targets['email']> = {}, token: string, nowMs: number): void {
      const isValid = confirmation && isSame(confirmation.token, token) && confirmation.endsAt > nowMs;
      if (!isValid) throw new Problem('confirmation_invalid');
    },

    /**
     * Remembers that the owner of an address has stopped the emails to it. `target`: the channel of the link, if it still exists,
     * since the maintenance forgets a link 90 days after its email. Returns whether the link is the one of `target`.
     */
    async stop(query: Query, token: string, target: Targets['email'] | undefined): Promise<boolean> {
      const isOfTarget = target !== undefined && isSame(target.unsubscribeToken, token);
      if (isOfTarget) await rememberStopLink(query, target);
      const [known] = await query`
        UPDATE notification_stop_links SET used_at = COALESCE(used_at, now())
        WHERE token_digest = ${digestOf(token)} RETURNING 1`;
      if (!known) throw new Problem('not_found');
      return isOfTarget;
    },
  };
}

/** Without what is behind `+`: most mail servers deliver all spellings to one mailbox, whose owner is asked, and stops emails, once. */
const mailboxOf = (address: string): string => address.toLowerCase().replace(/^([^+@]+)\+[^@]*@/, '$1@');

const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest();

function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** Links that were not used are forgotten. Each email that confirms an address has a link, which works for at least this time. */
export async function deleteOldStopLinks(query: Query): Promise<void> {
  await query`DELETE FROM notification_stop_links WHERE used_at IS NULL AND sent_at < now() - interval '90 days'`;
}
