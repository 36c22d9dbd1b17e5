import type { Query } from '@expert-relay/db';

/** For how many seconds the oldest content has been kept longer than it should be; 0 when none has. */
export async function purgeBacklog(query: Query, retention: number): Promise<number> {
  const [row] = await query<{ seconds: number | null }>`
    SELECT extract(epoch FROM now() - min(at))::float8 - ${retention / 1000}::float8 AS seconds
    FROM request_stages WHERE stage = 'ended'`;
  return Math.max(0, row?.seconds ?? 0);
}
