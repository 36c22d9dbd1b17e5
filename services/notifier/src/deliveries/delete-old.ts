import { type Query, type Sql, sql } from '@expert-relay/db';

const batch = 2_000;

/** Whether a delivery ended more than seven days ago: then it is listed no more. Null for one that has not ended. */
export const isOld: Sql = sql`(ended_at <= now() - interval '7 days')`;

/** Deletes some of the old deliveries; returns their number. */
export async function deleteOldDeliveries(query: Query): Promise<number> {
  const rows = await query`
    DELETE FROM notification_deliveries WHERE id IN (
      SELECT id FROM notification_deliveries WHERE ${isOld}
      ORDER BY ended_at LIMIT ${batch}::int FOR UPDATE SKIP LOCKED)
    RETURNING 1`;
  return rows.length;
}
