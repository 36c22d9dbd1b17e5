import { lockKeys, type Postgres, type Sql, sql } from '@expert-relay/db';
import { deliveryParts } from '../deliveries/delivery-parts.ts';

export interface Taken {
  readonly facts: number;
  readonly deliveries: number;
  /** Whether there are more of these facts, which the next call may take. */
  readonly isMore: boolean;
}

/**
 * Deletes the oldest of the facts that `which` selects, and inserts their deliveries, in one statement. Undefined while another
 * process does so. Of each request it takes one, so that the next call sees what this one has inserted for the request. A row that is
 * locked, since its request is being deleted, is left to a later call.
 */
export function takeFacts(
  database: Pick<Postgres, 'transact'>,
  { which, limit }: { which: Sql; limit: number },
): Promise<Taken | undefined> {
  return database.transact(async (query) => {
    // A statement of its own: the next one sees everything that the process which had the lock before has committed.
    const [turn] = await query<{ isOurs: boolean }>`
      SELECT pg_try_advisory_xact_lock(${lockKeys.takeFacts}::bigint) AS "isOurs", set_config('lock_timeout', '1s', true)`;
    if (!turn?.isOurs) return undefined;
    const [taken] = await query<Taken>`
      WITH oldest AS MATERIALIZED (
        SELECT position, request_id FROM notification_facts WHERE ${which} ORDER BY position LIMIT ${limit}::int
      ),
      taken AS (
        DELETE FROM notification_facts WHERE position IN (
          SELECT position FROM notification_facts
          WHERE position IN (SELECT min(position) FROM oldest GROUP BY request_id) FOR UPDATE SKIP LOCKED)
        RETURNING type, request_id, message_key, at
      ),
      ${deliveryParts(sql`SELECT * FROM taken`)}
      SELECT facts, (SELECT count(*)::int FROM inserted) AS deliveries,
        facts > 0 AND (facts < found OR found = ${limit}::int) AS "isMore"
      FROM (SELECT count(*)::int AS facts FROM taken) AS counted, (SELECT count(*) AS found FROM oldest) AS all_found`;
    return taken;
  });
}
