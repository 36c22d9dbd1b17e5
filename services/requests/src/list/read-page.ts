import { type Api, excerptLength } from '@expert-relay/contracts';
import {
  empty,
  type FormKind,
  isOpen,
  isSnoozed,
  join,
  noteColumns,
  ownedBy,
  type Party,
  parseRefCodeStart,
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
  andFacets,
  bucketRelation,
  bucketsOf,
  conditionsOf,
  type Filter,
  hasFacets,
  inBucket,
  includesOverdue,
  isOverdueOf,
  openOf,
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
  /** The last row, if there are more. */
  readonly end: Cursor | undefined;
}

interface Row
  extends StateRow,
    RequestNotes,
    Pick<Api.ListedRequest, 'encrypted' | 'pickedUp' | 'turn' | 'messageCount' | 'lastActivityAt'> {
  snoozedUntil: string | null;
  question: string;
  agentId: string;
  keyName: string;
  form: FormKind | null;
}

/** An agent does not learn that its request is snoozed. */
const columns = (party: Party, lastActivityAt: Sql): Sql => sql`
  ${stateColumns}, left(COALESCE(question, ''), ${excerptLength}::int) AS question,
  consumer_key_id AS "agentId",
  (SELECT name FROM api_keys WHERE api_keys.id = consumer_key_id) AS "keyName",
  form_kind AS form, ${noteColumns},
  consumer_encrypt_pub_key IS NOT NULL AS encrypted,
  provider_encrypt_pub_key IS NOT NULL AS "pickedUp",
  CASE turn WHEN 'provider' THEN 'expert' ELSE 'agent' END AS turn,
  CASE WHEN ${party.kind === 'consumer' ? sql`FALSE` : isSnoozed} THEN snoozed_until END AS "snoozedUntil",
  message_count AS "messageCount",
  ${lastActivityAt} AS "lastActivityAt"`;

/**
 * Whether a list may read all requests of its party, because no index contains its conditions. It keeps a connection to Postgres
 * up to a quarter of a second.
 */
export const isScan = (party: Party, query: URLSearchParams): boolean =>
  Boolean(query.get('q')) ||
  hasFacets(query) ||
  (party.kind === 'consumer' && (query.has('filter') || query.has('status')));

/** Requests of a party: those of an expert by their newest activity, those of an agent and the hits of a search by their creation. */
export async function readPage(query: Query, party: Party, listing: Listing): Promise<Page> {
  const { content, q, limit } = listing;
  const isByActivity = party.kind !== 'consumer' && q === undefined;
  const time = isByActivity ? 'lastActivityAt' : 'createdAt';
  const page = isByActivity
    ? selectByActivity(party, listing)
    : selectByCreation(party, listing, await findCandidates(query, party.userId, listing));
  const rows = await query<
    (Row | (Row & Content)) & { isCut?: boolean }
  >`${content ? withContent(page, time) : page}`;
  const hasMore = rows.length > limit || rows.at(-1)?.isCut === true;
  const shown = rows.slice(0, limit);
  const last = hasMore ? shown.at(-1) : undefined;
  return { rows: shown, end: last && { at: last[time], id: last.id } };
}

/**
 * Up to `limit` requests, and one more if there are more. Reads the newest requests of each bucket and returns the newest of these,
 * so that only a few requests are read, without facets.
 */
function selectByActivity(party: Party, listing: Listing): Sql {
  const { userId } = party;
  const { after, limit } = listing;
  const newestOf = (time: Sql, condition: Sql): Sql => sql`
    SELECT request_id, ${time} AS active_at FROM request_stages
    WHERE ${condition} ${andFacets(listing)} ${andAfter(after, time, sql`request_id`)}
    ORDER BY ${time} DESC, request_id DESC
    LIMIT ${limit + 1}::int`;
  // They were last active when they expired, as their rows will say once they are marked.
  const overdue = sql`UNION ALL (${newestOf(sql`at`, isOverdueOf(userId))})`;
  return sql`
    SELECT ${columns(party, sql`active_at`)}
    FROM (
      SELECT request_id, active_at
      FROM (
        SELECT newest.*
        FROM ${bucketRelation(bucketsOf(listing))}, LATERAL (${newestOf(sql`active_at`, inBucket(userId))}) AS newest
        ${includesOverdue(listing) ? overdue : empty}) AS found
      ORDER BY active_at DESC, request_id DESC
      LIMIT ${limit + 1}::int) AS page
    JOIN help_requests ON id = request_id
    ORDER BY active_at DESC, id DESC`;
}

const maxCandidates = 1_000;

/** The ids of all open requests of a user, if the list selects only open ones and they are few. */
async function findCandidates(query: Query, userId: string, listing: Listing): Promise<string[] | undefined> {
  if (!selectsOnlyOpen(listing)) return undefined;
  const rows = await query<{ id: string }>`${openOf(userId)} LIMIT ${maxCandidates + 1}::int`;
  return rows.length > maxCandidates ? undefined : rows.map(({ id }) => id);
}

/** Up to `limit` requests, and one more if there are more. Reads the candidates, or else all in their order until the page is full. */
function selectByCreation(party: Party, listing: Listing, candidates: string[] | undefined): Sql {
  const { q, after, limit } = listing;
  const conditions = [ownedBy(party), ...conditionsOf(listing), ...(q === undefined ? [] : [matches(q)])];
  // Postgres assumes ten elements for an array of unknown length, so it looks each of them up.
  if (candidates) conditions.push(sql`id = ANY(ARRAY(SELECT unnest(${candidates}::text[])))`);
  return sql`
    SELECT ${columns(party, lastActivity)}
    FROM help_requests
    WHERE ${join(conditions, ' AND ')} ${andAfter(after, sql`created_at`, sql`id`)}
    ORDER BY created_at DESC, id DESC
    LIMIT ${limit + 1}::int`;
}

const lastActivity = sql`
  CASE WHEN ${isOpen} THEN GREATEST(created_at, last_message_at) ELSE COALESCE(ended_at, expires_at) END`;

/** A search reads only the part of a question that lists show. Postgres knows the length of a text without reading it all. */
const listedQuestion = sql`
  CASE WHEN octet_length(question) <= ${excerptLength}::int THEN question
    ELSE left(question, ${excerptLength}::int) END`;

function matches(q: string): Sql {
  const refCode = parseRefCodeStart(q.trim());
  const isIn = (text: Sql) =>
    sql`COALESCE(position(${folded(sql`${q}::text`)} IN ${folded(text)}) > 0, FALSE)`;
  // No tag has a line break: so `q` is not found across two tags.
  const inTags = /\n/.test(q) ? sql`FALSE` : isIn(sql`array_to_string(tags, chr(10))`);
  return sql`(${isIn(listedQuestion)} OR ${inTags} ${refCode ? sql`OR starts_with(ref_code, ${refCode})` : empty})`;
}

/**
 * A text without its case. The collation makes the result independent of the database's locale: with the locale C, Postgres
 * knows only the case of ASCII. Upper case, since it makes `ß` equal to `SS`, and all forms of the Greek sigma equal.
 */
const folded = (text: Sql): Sql => sql`upper(${text} COLLATE "und-x-icu")`;

const andAfter = (after: Cursor | undefined, time: Sql, id: Sql): Sql =>
  after ? sql`AND (${time}, ${id}) < (${after.at}::timestamptz, ${after.id})` : empty;

export const listedBody = ({ agentId, keyName, ...row }: Row | (Row & Content)): Api.ListedRequest => {
  const { question, form, encrypted, pickedUp, turn, messageCount, lastActivityAt } = row;
  const { snoozedUntil, follows, tags, closedBy, closeReason } = row;
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
    ...withoutAbsent({ snoozedUntil, follows, tags, closedBy, closeReason }),
    ...('fullQuestion' in row && contentBody(row)),
  };
};
