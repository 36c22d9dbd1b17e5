import type { Query } from '@expert-relay/db';

const batch = 2_000;

/** Deletes some of the deliveries that ended more than seven days ago; returns their number. */
export async function deleteOldDeliveries(query: Query): Promise<number> {
  const rows = await query`
    DELETE FROM notification_deliveries WHERE id IN (
      SELECT id FROM notification_deliveries WHERE ended_at <= now() - interval '7 days'
      ORDER BY ended_at LIMIT ${batch}::int FOR UPDATE SKIP LOCKED)
    RETURNING 1`;
  return rows.length;
}
