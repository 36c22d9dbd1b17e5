import type { Query } from '@expert-relay/db';
import { defineRoute } from '@expert-relay/kit/http';
import type { Context } from '../context.ts';
import {
  bucketRelation,
  bucketsOf,
  type Filter,
  inBucket,
  inboxFilters,
  includesOverdue,
  isOverdueOf,
  statuses,
} from '../list/filter.ts';

/** Larger counts are shown as `999+`. */
const maxCount = 999;

/** How many requests each filter of the inbox and each status have. */
export const countRequests = (context: Context) =>
  defineRoute({
    method: 'get',
    path: '/internal/requests/counts',
    allow: ['session'],
    async handle({ principal }) {
      const count = await countBuckets(context.query, principal.userId);
      return {
        status: 200,
        body: {
          filters: Object.fromEntries(inboxFilters.map((filter) => [filter, count({ filter })])),
          statuses: Object.fromEntries(statuses.map((status) => [status, count({ status: [status] })])),
        },
      };
    },
  });

async function countBuckets(query: Query, userId: string) {
  const buckets = bucketsOf({});
  // The order makes Postgres use the index, whatever statistics it has.
  const [row] = await query<{ counts: number[]; overdue: number }>`
    SELECT
      (SELECT array_agg(count ORDER BY number) FROM ${bucketRelation(buckets)}, LATERAL (
        SELECT count(*)::int FROM (
          SELECT FROM request_stages WHERE ${inBucket(userId)}
          ORDER BY active_at DESC, request_id DESC
          LIMIT ${maxCount + 1}::int) AS found) AS counted) AS counts,
      (SELECT count(*)::int FROM (
        SELECT FROM request_stages WHERE ${isOverdueOf(userId)} LIMIT ${maxCount + 1}::int) AS found) AS overdue`;
  return (filter: Filter): number | string => {
    const counts = bucketsOf(filter).map((bucket) => row?.counts[buckets.indexOf(bucket)] ?? 0);
    const sum = counts.reduce((sum, count) => sum + count, includesOverdue(filter) ? (row?.overdue ?? 0) : 0);
    return sum > maxCount ? `${maxCount}+` : sum;
  };
}
