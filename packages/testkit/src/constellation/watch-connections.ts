import type { PrismaClient } from '@expert-relay/db';
import { eventually } from '../eventually.ts';

/**
 * Counts who is connected to a database now. The function that it gives fails when there are more later on,
 * when everything else has stopped: then a service has left connections open.
 */
export async function watchConnections(prisma: PrismaClient): Promise<() => Promise<void>> {
  const count = async () => {
    const [row] = await prisma.$queryRaw<{ connections: number }[]>`
      SELECT count(*)::int AS connections FROM pg_stat_activity
      WHERE datname = current_database() AND backend_type = 'client backend'`;
    return row?.connections ?? 0;
  };
  const before = await count();
  return async () => {
    // Postgres notices a closed socket a moment later.
    await eventually(
      'every service has closed its connections to Postgres',
      async () => (await count()) <= before,
      {
        within: 1_000,
      },
    );
  };
}
