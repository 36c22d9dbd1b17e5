import type { Query } from '@expert-relay/db';
import { walkOpen } from '../walk-open.ts';
import { type Ended, endRequests } from './end-requests.ts';

/**
 * Ends overdue requests in batches, oldest first. It hands out each batch's end, so that whoever takes them
 * sets the pace and may leave off. Rows that are locked are left to the next time.
 */
export async function* endOverdue(query: Query, batchSize: number): AsyncGenerator<readonly Ended[]> {
  for await (const page of walkOpen(query, { from: 'beginning', until: 0, pageSize: batchSize })) {
    yield await endRequests(
      query,
      page.map(({ id }) => id),
    );
  }
}
