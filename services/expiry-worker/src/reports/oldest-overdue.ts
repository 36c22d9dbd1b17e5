import type { Query } from '@expert-relay/db';

/** For how many seconds the oldest request that nobody has ended yet has been overdue; 0 when there is none. */
export async function oldestOverdue(query: Query): Promise<number> {
  const [row] = await query<{ seconds: number | null }>`
    SELECT extract(epoch FROM now() - min(at))::float8 AS seconds
    FROM request_stages WHERE stage = 'open' AND at <= now()`;
  return row?.seconds ?? 0;
}
