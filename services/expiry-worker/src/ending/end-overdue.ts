import type { Query } from '@expert-relay/db';
import { openPage, type Place } from '../open-page.ts';
import { endRequests, type Outcome } from './end-requests.ts';

/**
 * Ends overdue requests in batches, oldest first. It hands out what each batch ended, so that whoever takes it
 * sets the pace and may leave off. Rows that are locked are left to the next time.
 */
export async function* endOverdue(query: Query, size: number): AsyncGenerator<Outcome<Place>['ended']> {
  let after: Place | null = { at: '-infinity', request_id: '' };
  while (after) {
    const { ended, listed, last }: Outcome<Place> = await endRequests(query, openPage({ after, size }));
    yield ended;
    after = listed === size ? last : null;
  }
}
