import type { PrismaClient } from '@expert-relay/db';
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
export function purgeSteps(prisma: PrismaClient, { content, metadata }: Retention): readonly PurgeStep[] {
  return [
    { what: 'content', batch: () => eraseContent(prisma, content) },
    { what: 'requests', batch: () => deleteRequests(prisma, metadata) },
    { what: 'idempotency', batch: () => deleteIdempotency(prisma) },
    { what: 'secrets', batch: () => deleteSecrets(prisma, content) },
    { what: 'keys', batch: () => deleteKeys(prisma, metadata) },
    { what: 'failed_events', batch: () => deleteFailedEvents(prisma, content) },
  ];
}
