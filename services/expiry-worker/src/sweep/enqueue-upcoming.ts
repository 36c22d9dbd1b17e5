import { isOpen, type PrismaClient } from '@expert-relay/db';
import type { Queue } from 'bullmq';

interface Upcoming {
  id: string;
  expiresAt: Date;
  /** Milliseconds from now. */
  remaining: number;
}

const pageSize = 1_000;

const jobOptions = {
  attempts: 3,
  backoff: { type: 'exponential', delay: 500 },
  // A kept job with the same id would block its being added again.
  removeOnComplete: true,
  removeOnFail: true,
} as const;

/**
 * A delayed job for each request that falls due within `horizon`, named after it: those that have one keep
 * it. The database's clock says how long each has left, so that the clock of this process does not matter.
 */
export async function enqueueUpcoming(options: {
  prisma: PrismaClient;
  queue: Queue;
  horizon: number;
  signal: AbortSignal;
}): Promise<void> {
  const { prisma, queue, horizon, signal } = options;
  let last: Pick<Upcoming, 'id' | 'expiresAt'> | undefined = { id: '', expiresAt: new Date(0) };
  while (last && !signal.aborted) {
    const page: Upcoming[] = await prisma.$queryRaw<Upcoming[]>`
      SELECT id, expires_at AS "expiresAt", extract(epoch FROM expires_at - now())::float8 * 1000 AS remaining
      FROM help_requests
      WHERE ${isOpen} AND expires_at > now() AND expires_at <= now() + ${horizon} * interval '1 millisecond'
        AND expires_at >= ${last.expiresAt} AND (expires_at, id) > (${last.expiresAt}, ${last.id})
      ORDER BY expires_at, id LIMIT ${pageSize}`;
    await queue.addBulk(
      page.map(({ id, remaining }) => ({
        name: 'end',
        data: {},
        opts: { ...jobOptions, jobId: id, delay: Math.ceil(remaining) + 1 },
      })),
    );
    last = page.length === pageSize ? page.at(-1) : undefined;
  }
}
