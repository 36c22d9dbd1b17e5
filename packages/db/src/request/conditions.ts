import type { Principal } from '@expert-relay/kit/principal';
import { Problem } from '@expert-relay/kit/problem';
import type { RequestStatus } from '../generated/client.ts';
import { type Sql, sql } from '../postgres/query.ts';

/** Principals that own requests. */
export type Party = Extract<Principal, { kind: 'consumer' | 'provider' | 'session' }>;

/**
 * Which requests a party may read and change, as a condition on `help_requests`: those of the consumer key, or all of
 * the user for a provider key and a session. Every statement uses this condition, so that an unknown request and that of
 * another user get the same response.
 */
export function ownedBy(party: Party): Sql {
  return party.kind === 'consumer'
    ? sql`help_requests.consumer_key_id = ${party.apiKeyId}::uuid`
    : sql`help_requests.user_id = ${party.userId}::uuid`;
}

/** A party's role in a conversation. */
export const roleOf = (party: Party): 'consumer' | 'provider' =>
  party.kind === 'consumer' ? 'consumer' : 'provider';

/*
 * On every read and write, only the database's clock decides whether a conversation has expired: an overdue conversation
 * has ended even before the worker marks it. Only these conditions on `help_requests` define that.
 * They use `clock_timestamp()`, since a statement that waited for a row's lock must use the time after the wait. A statement that
 * locks the row must use them in a CTE that reads the locked row: Postgres computes the columns of a locking SELECT before it
 * waits, and again only if the row was changed meanwhile.
 */

/** The current status, which may not be written yet. */
export const statusNow = sql`
  CASE WHEN status IN ('pending', 'responded') AND expires_at <= clock_timestamp()
    THEN 'expired'::request_status ELSE status END`;

export const isOpen = sql`(status IN ('pending', 'responded') AND expires_at > clock_timestamp())`;

/** Whether the expert wants to see a request later, which an answer or a message of the agent ends. */
export const isSnoozed = sql`(${isOpen} AND turn = 'provider' AND snoozed_until > clock_timestamp())`;

/**
 * Expired, but not yet marked. This condition is used to find rows, and Postgres cannot use an index for a comparison
 * with the volatile `clock_timestamp()`; `now()`, the statement's start, is never later.
 */
export const overdue = sql`(status IN ('pending', 'responded') AND expires_at <= now())`;

/** The response to a write into a conversation that has ended. */
export function endedProblem(status: Extract<RequestStatus, 'closed' | 'expired'>): Problem {
  return new Problem(status === 'closed' ? 'conversation_closed' : 'conversation_expired');
}

/**
 * The part of a statement that moves the rows of expired requests in `request_stages`. It is put into a `WITH`
 * beside the change of the requests, called `ended`, which returns their `request_id` and `expires_at`.
 * For every other change of a request a trigger does this; row by row it would be half of the cost of an expiry.
 *
 * The LATERAL subquery makes Postgres use the index, whatever its statistics are: with a plain join and statistics from a
 * time without open rows it compared all open rows with all ended ones. No other statement can move the rows, since their
 * requests are locked.
 */
export const moveExpired = sql`
  UPDATE request_stages SET stage = 'ended', active_at = at WHERE ctid = ANY(ARRAY(
    SELECT found.ctid FROM ended, LATERAL (
      SELECT ctid FROM request_stages
      WHERE stage = 'open' AND at = ended.expires_at AND request_stages.request_id = ended.request_id
      OFFSET 0) AS found))`;
