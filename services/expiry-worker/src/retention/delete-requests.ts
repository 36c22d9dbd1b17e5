import type { PrismaClient } from '@expert-relay/db';

const requestsAtOnce = 500;

/** Removes requests without content that ended longer than `retention` milliseconds ago; gives how many. */
export async function deleteRequests(prisma: PrismaClient, retention: number): Promise<number> {
  return await prisma.$executeRaw`
    DELETE FROM help_requests WHERE id IN (
      SELECT id FROM help_requests
      WHERE erased_at IS NOT NULL AND ended_at <= now() - ${retention}::float8 * interval '1 millisecond'
      ORDER BY ended_at LIMIT ${requestsAtOnce} FOR UPDATE SKIP LOCKED)`;
}
