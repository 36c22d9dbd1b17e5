import type { PrismaClient } from '@expert-relay/db';

/** For how many seconds the oldest content has been kept longer than it should be; 0 when none has. */
export async function purgeBacklog(prisma: PrismaClient, retention: number): Promise<number> {
  const [row] = await prisma.$queryRaw<{ seconds: number | null }[]>`
    SELECT extract(epoch FROM now() - min(ended_at))::float8 - ${retention / 1000}::float8 AS seconds
    FROM help_requests WHERE erased_at IS NULL AND ended_at IS NOT NULL`;
  return Math.max(0, row?.seconds ?? 0);
}
