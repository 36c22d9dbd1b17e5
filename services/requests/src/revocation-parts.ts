import { credentialRevokedEvent } from '@expert-relay/contracts';
import { eventParts, type Sql, sql } from '@expert-relay/db';

/**
 * The parts of a statement that record that a credential ends, or all sessions of a user: those of `eventParts`, with the CTE `event`.
 * `owner` selects its `user_id`: without a row, there is no event.
 */
export const revocationParts = (
  revoked: Parameters<typeof credentialRevokedEvent>[0],
  owner: Sql | string,
): Sql =>
  eventParts({
    ...credentialRevokedEvent(revoked),
    from: sql`
      SELECT user_id, NULL::text AS request_id, NULL::text AS ref_code, 0 AS seq
      FROM (${typeof owner === 'string' ? sql`SELECT ${owner}::uuid AS user_id` : owner}) AS owner`,
  });
