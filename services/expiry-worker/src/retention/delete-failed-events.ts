import type { Query } from '@expert-relay/db';

const eventsAtOnce = 500;

/**
 * Removes events that could not be published and were set aside longer than `retention` milliseconds ago;
 * gives how many. They carry the beginnings of questions. Published ones the outbox's leader removes.
 */
export async function deleteFailedEvents(query: Query, retention: number): Promise<number> {
  const rows = await query`
    DELETE FROM outbox_events WHERE id IN (
      SELECT id FROM outbox_events
      WHERE failed_at <= now() - ${retention}::float8 * interval '1 millisecond'
      ORDER BY failed_at LIMIT ${eventsAtOnce} FOR UPDATE SKIP LOCKED)
    RETURNING 1`;
  return rows.length;
}
