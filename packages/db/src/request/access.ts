import type { Principal } from '@expert-relay/kit/principal';
import { type Sql, sql } from '../postgres/sql.ts';

/** Callers that own requests: what they may see and touch follows from who they are alone. */
export type Party = Extract<Principal, { kind: 'consumer' | 'provider' | 'session' }>;

/**
 * Who may touch a request, as a condition on `help_requests`: the consumer key that made it, and any
 * provider key or session of the user who owns that key. The same condition in every statement, so that
 * an unknown request and a foreign one cannot be told apart.
 */
export function ownedBy(party: Party): Sql {
  return party.kind === 'consumer'
    ? sql`help_requests.consumer_key_id = ${party.apiKeyId}::uuid`
    : sql`help_requests.user_id = ${party.userId}::uuid`;
}

/** The role in which a caller takes part in a conversation. */
export const roleOf = (party: Party): 'consumer' | 'provider' =>
  party.kind === 'consumer' ? 'consumer' : 'provider';
