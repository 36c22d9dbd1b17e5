import { overdue, Prisma, type Query } from '@expert-relay/db';
import { type Ended, endRequests } from './end-requests.ts';

const longAgo = new Date(0);

/**
 * Ends overdue requests in batches, oldest first. It hands out each batch's end, so that whoever takes them
 * sets the pace and may leave off. Rows that are locked are left to the next time.
 */
export async function* endOverdue(query: Query, batchSize: number): AsyncGenerator<readonly Ended[]> {
  // Each batch begins where the last one ended: the index still lists the rows that it has ended.
  for (let since = longAgo; ; ) {
    const ended = await endRequests(
      query,
      Prisma.sql`SELECT id FROM help_requests WHERE ${overdue} AND expires_at >= ${since}
        ORDER BY expires_at LIMIT ${batchSize}`,
    );
    yield ended;
    const last = ended.at(-1);
    if (!last || ended.length < batchSize) return;
    since = new Date(last.expiresAt);
  }
}
