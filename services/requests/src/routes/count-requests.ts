import { isSnoozed, join, type Query, sql } from '@expert-relay/db';
import { defineRoute, parseQuery } from '@expert-relay/kit/http';
import * as z from 'zod';
import type { Context } from '../context.ts';
import {
  andFacets,
  bucketRelation,
  bucketsOf,
  type Facets,
  type Filter,
  facetConditions,
  facetsSchema,
  hasFacets,
  inBucket,
  inboxFilters,
  includesOverdue,
  isOverdueOf,
  statuses,
} from '../list/filter.ts';

/** Larger counts are shown as `999+`. */
const maxCount = 999;

const schema = z.object(facetsSchema);

/** How many requests each filter of the inbox and each status have, and how many of those that wait are snoozed. */
export const countRequests = (context: Context) =>
  defineRoute({
    method: 'get',
    path: '/internal/requests/counts',
    allow: ['session'],
    isHeavy: ({ query }) => hasFacets(query),
    async handle({ principal, query }) {
      const facets = parseQuery(schema, query);
      const { count, snoozed } = await countBuckets(context.query, principal.userId, facets);
      return {
        status: 200,
        body: {
          snoozed,
          filters: Object.fromEntries(inboxFilters.map((filter) => [filter, count({ filter })])),
          statuses: Object.fromEntries(statuses.map((status) => [status, count({ status: [status] })])),
        },
      };
    },
  });

async function countBuckets(query: Query, userId: string, facets: Facets) {
  const buckets = bucketsOf({});
  const snoozed = join([sql`user_id = ${userId}::uuid`, isSnoozed, ...facetConditions(facets)], ' AND ');
  // The order makes Postgres use the index, whatever statistics it has.
  const [row] = await query<{ counts: number[]; overdue: number; snoozed: number }>`
    SELECT
      (SELECT array_agg(count ORDER BY number) FROM ${bucketRelation(buckets)}, LATERAL (
        SELECT count(*)::int FROM (
          SELECT FROM request_stages WHERE ${inBucket(userId)} ${andFacets(facets)}
          ORDER BY active_at DESC, request_id DESC
          LIMIT ${maxCount + 1}::int) AS found) AS counted) AS counts,
      (SELECT count(*)::int FROM (
        SELECT FROM request_stages WHERE ${isOverdueOf(userId)} ${andFacets(facets)} LIMIT ${maxCount + 1}::int) AS found) AS overdue,
      (SELECT count(*)::int FROM (
        SELECT FROM help_requests WHERE ${snoozed} LIMIT ${maxCount + 1}::int) AS found) AS snoozed`;
  const shown = (count: number) => (count > maxCount ? `${maxCount}+` : count);
  const count = (filter: Filter): number | string => {
    const counts = bucketsOf(filter).map((bucket) => row?.counts[buckets.indexOf(bucket)] ?? 0);
    const sum = counts.reduce((sum, count) => sum + count, includesOverdue(filter) ? (row?.overdue ?? 0) : 0);
    return shown(sum);
  };
  return { count, snoozed: shown(row?.snoozed ?? 0) };
}
