import { empty, isOpen, join, type RequestStatus, type Sql, sql, statusNow } from '@expert-relay/db';
import * as z from 'zod';
import { tag } from '../submit/submit-schema.ts';

export const statuses = ['pending', 'responded', 'closed', 'expired'] as const satisfies RequestStatus[];

/** `waiting`: open, the expert's turn. `answered`: open, the agent's turn. `ended`: no longer open. */
export const inboxFilters = ['waiting', 'answered', 'ended'] as const;
type InboxFilter = (typeof inboxFilters)[number];

/** Selects the requests of a list. All members must match. */
export interface Filter extends Facets {
  filter?: InboxFilter | undefined;
  status?: readonly RequestStatus[] | undefined;
}

/** The agent and the tag to whose requests a list is limited. No index has them: a list with facets is a scan. */
export interface Facets {
  /** The consumer key of the agent. */
  keyId?: string | undefined;
  tag?: string | undefined;
}

const oneOf = statuses.join('|');
const expectedStatus = `Expected ${statuses.join(', ')}, or several of them with commas between.`;

export const facetsSchema = {
  keyId: z.uuid('Expected the id of a key.').optional(),
  tag: tag.optional(),
};

export const hasFacets = (query: URLSearchParams): boolean => query.has('keyId') || query.has('tag');

export const filterSchema = {
  ...facetsSchema,
  filter: z.enum(inboxFilters, { error: `Expected ${inboxFilters.join(', ')}.` }).optional(),
  status: z
    .string()
    .regex(new RegExp(`^(${oneOf})(,(${oneOf})){0,9}$`), expectedStatus)
    .transform((text) => text.split(',') as RequestStatus[])
    .optional(),
};

/** A range of the index of `request_stages`: the requests of a user with these values, in order of activity. */
export interface Bucket {
  readonly stage: 'open' | 'ended' | 'erased';
  readonly progress: 'unanswered' | 'follow_up' | 'answered' | 'closed';
  readonly status: RequestStatus;
  readonly filter: InboxFilter;
}

const buckets: readonly Bucket[] = [
  { stage: 'open', progress: 'unanswered', status: 'pending', filter: 'waiting' },
  { stage: 'open', progress: 'follow_up', status: 'responded', filter: 'waiting' },
  { stage: 'open', progress: 'answered', status: 'responded', filter: 'answered' },
  ...(['ended', 'erased'] as const).flatMap((stage): Bucket[] => [
    { stage, progress: 'unanswered', status: 'expired', filter: 'ended' },
    { stage, progress: 'follow_up', status: 'expired', filter: 'ended' },
    { stage, progress: 'answered', status: 'expired', filter: 'ended' },
    { stage, progress: 'closed', status: 'closed', filter: 'ended' },
  ]),
];

/** Requests that have expired but are not marked yet. They are in no bucket, and they are few while a worker runs. */
const overdue = { status: 'expired', filter: 'ended' } as const;

const matches = ({ filter, status }: Filter, bucket: Pick<Bucket, 'filter' | 'status'>): boolean =>
  (!filter || bucket.filter === filter) && (!status || status.includes(bucket.status));

export const bucketsOf = (filter: Filter): readonly Bucket[] =>
  buckets.filter((bucket) => matches(filter, bucket));

export const includesOverdue = (filter: Filter): boolean => matches(filter, overdue);

export const selectsOnlyOpen = (filter: Filter): boolean =>
  bucketsOf(filter).every(({ stage }) => stage === 'open') && !includesOverdue(filter);

/** Buckets as a relation `bucket` of a statement. */
export const bucketRelation = (selected: readonly Bucket[]): Sql => sql`
  unnest(${selected.map(({ stage }) => stage)}::request_stage[], ${selected.map(({ progress }) => progress)}::request_progress[])
  WITH ORDINALITY AS bucket (stage, progress, number)`;

/** Whether a row of `request_stages` is in the bucket of the relation. */
export const inBucket = (userId: string): Sql => sql`(
  request_stages.user_id = ${userId}::uuid
  AND request_stages.stage = bucket.stage AND request_stages.progress = bucket.progress
  AND (request_stages.stage <> 'open' OR request_stages.at > now()))`;

export const isOverdueOf = (userId: string): Sql =>
  sql`(user_id = ${userId}::uuid AND stage = 'open' AND at <= now())`;

/** The requests of a user that have not ended, the overdue ones included. */
export const openOf = (userId: string): Sql =>
  sql`SELECT request_id AS id FROM request_stages WHERE user_id = ${userId}::uuid AND stage = 'open'`;

const filterConditions: Readonly<Record<InboxFilter, Sql>> = {
  waiting: sql`(${isOpen} AND turn = 'provider')`,
  answered: sql`(${isOpen} AND turn = 'consumer')`,
  ended: sql`NOT ${isOpen}`,
};

/** The facets as conditions on `help_requests`. */
export const facetConditions = ({ keyId, tag }: Facets): readonly Sql[] => [
  ...(keyId === undefined ? [] : [sql`consumer_key_id = ${keyId}::uuid`]),
  ...(tag === undefined ? [] : [sql`${tag}::text = ANY(tags)`]),
];

/**
 * The facets as one more condition on `request_stages`. Postgres finds the requests of an agent by the index of its key, or looks each row
 * up. For a tag it always looks them up: without `OFFSET 0` it would read the requests of all users where it expects few with this tag.
 */
export function andFacets(facets: Facets): Sql {
  const conditions = facetConditions(facets);
  if (conditions.length === 0) return empty;
  const lookUp = facets.keyId === undefined ? sql`OFFSET 0` : empty;
  return sql`AND EXISTS (
    SELECT FROM help_requests WHERE id = request_id AND ${join(conditions, ' AND ')} ${lookUp})`;
}

/** The filter as conditions on `help_requests`, for lists that do not use the index. */
export function conditionsOf({ filter, status, ...facets }: Filter): readonly Sql[] {
  return [
    ...facetConditions(facets),
    ...(filter ? [filterConditions[filter]] : []),
    ...(status ? [sql`${statusNow} = ANY(${status}::request_status[])`] : []),
  ];
}
