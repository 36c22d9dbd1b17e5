import { type Api, excerptLength } from '@expert-relay/contracts';
import {
  empty,
  type FormKind,
  join,
  noteColumns,
  ownedBy,
  type Party,
  parseRefCode,
  type Query,
  type RequestNotes,
  type Sql,
  sql,
  withoutAbsent,
} from '@expert-relay/db';
import type { Cursor } from '@expert-relay/kit/http';
import { type StateRow, stateBody, stateColumns } from '../read-state.ts';
import { type Content, contentBody, withContent } from './content.ts';
import {
  bucketRelation,
  bucketsOf,
  conditionsOf,
  type Filter,
  inBucket,
  includesOverdue,
  isOverdueOf,
  selectsOnlyOpen,
} from './filter.ts';

export interface Listing extends Filter {
  /** Whether each request contains all that its agent submitted, and the keys. */
  content?: boolean | undefined;
  q?: string | undefined;
  after?: Cursor | undefined;
  limit: number;
}

interface Page {
  readonly rows: readonly (Row | (Row & Content))[];
  readonly hasMore: boolean;
}

interface Row
  extends StateRow,
    RequestNotes,
    Pick<Api.ListedRequest, 'encrypted' | 'pickedUp' | 'turn' | 'messageCount' | 'lastActivityAt'> {
  question: string;
  agentId: string;
  keyName: string;
  form: FormKind | null;
}

const columns = sql`
  ${stateColumns}, left(COALESCE(question, ''), ${excerptLength}::int) AS question,
  consumer_key_id AS "agentId",
  (SELECT name FROM api_keys WHERE api_keys.id = consumer_key_id) AS "keyName",
  form_kind AS form, ${noteColumns},
  consumer_encrypt_pub_key IS NOT NULL AS encrypted,
  provider_encrypt_pub_key IS NOT NULL AS "pickedUp",
  CASE WHEN last_message_role = 'provider' THEN 'agent' ELSE 'expert' END AS turn,
  message_count AS "messageCount",
  GREATEST(created_at, last_message_at, CASE WHEN status = 'closed' THEN ended_at END) AS "lastActivityAt"`;

/**
 * Whether a list may read all requests of its party, because no index contains its conditions. It keeps a connection to Postgres
 * up to a quarter of a second.
 */
export const isScan = (party: Party, query: URLSearchParams): boolean =>
  Boolean(query.get('q')) || (party.kind === 'consumer' && (query.has('filter') || query.has('status')));

/** Requests of a party, newest first. */
export async function readPage(query: Query, party: Party, listing: Listing): Promise<Page> {
  const page = selectPage(party, listing);
  const rows = await query<
    (Row | (Row & Content)) & { isCut?: boolean }
  >`${listing.content ? withContent(page) : page}`;
  return {
    rows: rows.slice(0, listing.limit),
    hasMore: rows.length > listing.limit || rows.at(-1)?.isCut === true,
  };
}

/** Up to `limit` requests, and one more if there are more. */
function selectPage(party: Party, listing: Listing): Sql {
  const conditions = [
    ...(party.kind === 'consumer' ? [ownedBy(party)] : []),
    ...(listing.q === undefined ? [] : [matches(listing.q)]),
  ];
  // Conditions that the index does not contain are checked request by request. That is fast for open requests, which are
  // few. For all others it is faster to read the requests in their order.
  const isFiltered = listing.filter !== undefined || listing.status !== undefined;
  return isFiltered && (conditions.length === 0 || selectsOnlyOpen(listing))
    ? selectFromBuckets(party.userId, listing, conditions)
    : selectInOrder([ownedBy(party), ...conditionsOf(listing), ...conditions], listing);
}

/** Reads the newest requests of each bucket and returns the newest of these, so that only a few requests are read. */
function selectFromBuckets(userId: string, listing: Listing, conditions: readonly Sql[]): Sql {
  const { after, limit } = listing;
  const matchesConditions = conditions.length
    ? sql`AND (SELECT ${join(conditions, ' AND ')} FROM help_requests WHERE id = request_id)`
    : empty;
  const newestFirst = sql`
    ${andAfter(after, sql`request_id`)} ${matchesConditions}
    ORDER BY created_at DESC, request_id DESC
    LIMIT ${limit + 1}::int`;
  const overdue = sql`
    UNION ALL (SELECT request_id, created_at FROM request_stages WHERE ${isOverdueOf(userId)} ${newestFirst})`;
  return sql`
    SELECT ${columns}
    FROM (
      SELECT request_id
      FROM (
        SELECT newest.*
        FROM ${bucketRelation(bucketsOf(listing))}, LATERAL (
          SELECT request_id, created_at FROM request_stages WHERE ${inBucket(userId)} ${newestFirst}) AS newest
        ${includesOverdue(listing) ? overdue : empty}) AS found
      ORDER BY created_at DESC, request_id DESC
      LIMIT ${limit + 1}::int) AS page
    JOIN help_requests ON id = request_id
    ORDER BY created_at DESC, id DESC`;
}

/** Reads requests in their order until the page is full. */
function selectInOrder(conditions: readonly Sql[], { after, limit }: Listing): Sql {
  return sql`
    SELECT ${columns}
    FROM help_requests
    WHERE ${join([...conditions], ' AND ')} ${andAfter(after, sql`id`)}
    ORDER BY created_at DESC, id DESC
    LIMIT ${limit + 1}::int`;
}

/** A search reads only the part of a question that lists show. Postgres knows the length of a text without reading it all. */
const listedQuestion = sql`
  CASE WHEN octet_length(question) <= ${excerptLength}::int THEN question
    ELSE left(question, ${excerptLength}::int) END`;

function matches(q: string): Sql {
  const refCode = parseRefCode(q.trim());
  const isIn = (text: Sql) =>
    sql`COALESCE(position(${folded(sql`${q}::text`)} IN ${folded(text)}) > 0, FALSE)`;
  // No tag has a line break: so `q` is not found across two tags.
  const inTags = /\n/.test(q) ? sql`FALSE` : isIn(sql`array_to_string(tags, chr(10))`);
  return sql`(${isIn(listedQuestion)} OR ${inTags} ${refCode ? sql`OR ref_code = ${refCode}` : empty})`;
}

/**
 * A text without its case. The collation makes the result independent of the database's locale: with the locale C, Postgres
 * knows only the case of ASCII. Upper case, since it makes `ß` equal to `SS`, and all forms of the Greek sigma equal.
 */
const folded = (text: Sql): Sql => sql`upper(${text} COLLATE "und-x-icu")`;

const andAfter = (after: Cursor | undefined, id: Sql): Sql =>
  after ? sql`AND (created_at, ${id}) < (${after.createdAt}::timestamptz, ${after.id})` : empty;

export const listedBody = ({ agentId, keyName, ...row }: Row | (Row & Content)): Api.ListedRequest => {
  const { question, form, encrypted, pickedUp, turn, messageCount, lastActivityAt } = row;
  const { follows, tags, closedBy, closeReason } = row;
  return {
    ...stateBody(row),
    question,
    agent: { keyId: agentId, name: keyName },
    ...(form !== null && { form }),
    encrypted,
    pickedUp,
    turn,
    messageCount,
    lastActivityAt,
    ...withoutAbsent({ follows, tags, closedBy, closeReason }),
    ...('fullQuestion' in row && contentBody(row)),
  };
};
