import type { Query } from '@expert-relay/db';
import { defineRoute } from '@expert-relay/kit/http';
import type { Context } from '../context.ts';
import { bucketsOf, type Filter, inBucket, inboxFilters, relationOf, statuses } from '../list/filter.ts';

/** Counted exactly up to here. */
const most = 999;

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
  const rows = await query<{ count: number }>`
    SELECT (
      SELECT count(*)::int
      FROM (SELECT FROM request_stages WHERE ${inBucket(userId)} LIMIT ${most + 1}::int) AS found) AS count
    FROM ${relationOf(buckets)}
    ORDER BY bucket.number`;
  return (filter: Filter): number | string => {
    const sum = bucketsOf(filter).reduce(
      (sum, bucket) => sum + (rows[buckets.indexOf(bucket)]?.count ?? 0),
      0,
    );
    return sum > most ? `${most}+` : sum;
  };
}
