import { overdue, type PrismaClient } from '@expert-relay/db';

/** For how many seconds the oldest request that nobody has ended yet has been overdue; 0 when there is none. */
export async function oldestOverdue(prisma: PrismaClient): Promise<number> {
  const [row] = await prisma.$queryRaw<{ seconds: number | null }[]>`
    SELECT extract(epoch FROM now() - min(expires_at))::float8 AS seconds FROM help_requests WHERE ${overdue}`;
  return row?.seconds ?? 0;
}
