import { type Query, raw } from '../postgres/query.ts';
import { encodeRow } from './publish-batch.ts';
import { rowColumns, type WaitingRow } from './waiting-rows.ts';

/** More than are revoked between two readings of a hub, and few enough for one response. */
const maxEvents = 1_000;

/**
 * The newest events of revoked credentials, encoded as for NATS: those that wait for it, and those that were published in the last
 * ten minutes, after which their rows are deleted. An index has the rows of this type.
 */
export async function readRevocationEvents(query: Query): Promise<Uint8Array[]> {
  const rows = await query<Omit<WaitingRow, 'recordedAt'> & { recordedAt: string }>`
    SELECT ${raw(rowColumns)} FROM outbox_events
    WHERE type = 'credential_revoked' AND failed_at IS NULL
    ORDER BY outbox_events.position DESC LIMIT ${maxEvents}::int`;
  return rows.flatMap((row) => {
    try {
      return [encodeRow({ ...row, recordedAt: new Date(row.recordedAt) })];
    } catch {
      // The outbox leader sets such a row aside and reports it.
      return [];
    }
  });
}
