import type { Query } from '@expert-relay/db';
import { deleteFailedEvents } from './delete-failed-events.ts';
import { deleteIdempotency } from './delete-idempotency.ts';
import { deleteKeys, deleteSecrets } from './delete-keys.ts';
import { deleteRequests } from './delete-requests.ts';
import { eraseContent } from './erase-content.ts';

/** How long what has ended is kept, in milliseconds. */
export interface Retention {
  readonly content: number;
  readonly metadata: number;
}

export interface PurgeStep {
  /** As it reads in metrics. */
  readonly what: string;
  /** Removes some of it, in one statement; gives how many, 0 when nothing is left. */
  batch(): Promise<number>;
}

/** Everything that goes with time. Each batch stands by itself: whoever comes next goes on. */
export function purgeSteps(query: Query, { content, metadata }: Retention): readonly PurgeStep[] {
  return [
    { what: 'content', batch: () => eraseContent(query, content) },
    { what: 'requests', batch: () => deleteRequests(query, metadata) },
    { what: 'idempotency', batch: () => deleteIdempotency(query) },
    { what: 'secrets', batch: () => deleteSecrets(query, content) },
    { what: 'keys', batch: () => deleteKeys(query, metadata) },
    { what: 'failed_events', batch: () => deleteFailedEvents(query, content) },
  ];
}
