import { excerptLength } from '@expert-relay/contracts';
import { empty, join, ownedBy, type Party, parseRefCode, type Query, type Sql, sql } from '@expert-relay/db';
import { type RequestState, stateBody, stateColumns } from '../read-state.ts';
import type { Cursor } from './cursor.ts';
import {
  bucketsOf,
  conditionsOf,
  type Filter,
  inBucket,
  includesOverdue,
  isOverdueOf,
  relationOf,
} from './filter.ts';

export interface Listing extends Filter {
  q?: string | undefined;
  after?: Cursor | undefined;
  limit: number;
}

interface Row extends RequestState {
  question: string;
  agentId: string;
  agentName: string;
  encrypted: boolean;
  pickedUp: boolean;
  turn: 'expert' | 'agent';
  messageCount: number;
  lastActivityAt: string;
}

const columns = sql`
  ${stateColumns}, left(COALESCE(question, ''), ${excerptLength}::int) AS question,
  consumer_key_id AS "agentId",
  (SELECT name FROM api_keys WHERE api_keys.id = consumer_key_id) AS "agentName",
  consumer_encrypt_pub_key IS NOT NULL AS encrypted,
  provider_encrypt_pub_key IS NOT NULL AS "pickedUp",
  CASE WHEN last_message_role = 'provider' THEN 'agent' ELSE 'expert' END AS turn,
  message_count AS "messageCount",
  GREATEST(created_at, last_message_at, CASE WHEN status = 'closed' THEN ended_at END) AS "lastActivityAt"`;

/** Requests of a party, newest first: up to `limit`, and one more if there are more. */
export function readPage(query: Query, party: Party, listing: Listing): Promise<Row[]> {
  const isNarrowed = listing.filter !== undefined || listing.status !== undefined;
  // The index of the inbox goes by user: a consumer key would look through the requests of all its user's keys.
  return isNarrowed && listing.q === undefined && party.kind !== 'consumer'
    ? readBuckets(query, party.userId, listing)
    : readInOrder(query, party, listing);
}

/** The newest of each bucket, and of these the newest: however many requests there are, few are looked at. */
function readBuckets(query: Query, userId: string, listing: Listing): Promise<Row[]> {
  const { after, limit } = listing;
  const newestFirst = sql`
    ${andAfter(after, sql`request_id`)}
    ORDER BY created_at DESC, request_id DESC
    LIMIT ${limit + 1}::int`;
  const overdue = sql`
    UNION ALL (SELECT request_id, created_at FROM request_stages WHERE ${isOverdueOf(userId)} ${newestFirst})`;
  return query<Row>`
    SELECT ${columns}
    FROM (
      SELECT request_id
      FROM (
        SELECT newest.*
        FROM ${relationOf(bucketsOf(listing))}, LATERAL (
          SELECT request_id, created_at FROM request_stages WHERE ${inBucket(userId)} ${newestFirst}) AS newest
        ${includesOverdue(listing) ? overdue : empty}) AS found
      ORDER BY created_at DESC, request_id DESC
      LIMIT ${limit + 1}::int) AS page
    JOIN help_requests ON id = request_id
    ORDER BY created_at DESC, id DESC`;
}

/** All requests of the party in order, until enough of them were found. */
function readInOrder(query: Query, party: Party, listing: Listing): Promise<Row[]> {
  const { q, after, limit } = listing;
  const conditions = [ownedBy(party), ...conditionsOf(listing), ...(q ? [matches(q)] : [])];
  return query<Row>`
    SELECT ${columns}
    FROM help_requests
    WHERE ${join(conditions, ' AND ')} ${andAfter(after, sql`id`)}
    ORDER BY created_at DESC, id DESC
    LIMIT ${limit + 1}::int`;
}

function matches(q: string): Sql {
  const refCode = parseRefCode(q.trim());
  const inQuestion = sql`position(lower(${q}) IN lower(question)) > 0`;
  return refCode ? sql`(${inQuestion} OR ref_code = ${refCode})` : inQuestion;
}

const andAfter = (after: Cursor | undefined, id: Sql): Sql =>
  after ? sql`AND (created_at, ${id}) < (${after.createdAt}::timestamptz, ${after.id})` : empty;

export const listedBody = ({ agentId, agentName, ...row }: Row) => {
  const { question, encrypted, pickedUp, turn, messageCount, lastActivityAt } = row;
  return {
    ...stateBody(row),
    question,
    agent: { keyId: agentId, name: agentName },
    ...{ encrypted, pickedUp, turn, messageCount, lastActivityAt },
  };
};
