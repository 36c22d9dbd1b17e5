import type { Query } from '../postgres/query.ts';
import { encodeRow } from './publish-batch.ts';
import type { WaitingRow } from './waiting-rows.ts';

/** More than are revoked between two readings of a hub, and few enough for one answer. */
const maxEvents = 1_000;

/**
 * The newest events of revoked credentials, in the bytes that are published: those that wait for NATS, and those of the last ten
 * minutes. An index has the rows of this type.
 */
export async function readRevocationEvents(query: Query): Promise<Uint8Array[]> {
  const rows = await query<Omit<WaitingRow, 'recordedAt'> & { recordedAt: string }>`
    SELECT id, position::float8 AS position, type, payload, user_id AS "userId", request_id AS "requestId",
      ref_code AS "refCode", seq, recorded_at AS "recordedAt"
    FROM outbox_events
    WHERE type = 'credential_revoked'
      AND (recorded_at > now() - interval '10 minutes' OR (published_at IS NULL AND failed_at IS NULL))
    ORDER BY position DESC LIMIT ${maxEvents}::int`;
  return rows.flatMap((row) => {
    try {
      return [encodeRow({ ...row, recordedAt: new Date(row.recordedAt) })];
    } catch {
      // The outbox leader sets such a row aside and reports it.
      return [];
    }
  });
}
