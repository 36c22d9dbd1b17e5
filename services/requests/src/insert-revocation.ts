import { credentialRevokedEvent } from '@expert-relay/contracts';
import { insertEvent, type Sql, sql } from '@expert-relay/db';

/**
 * The part of a statement that records that a credential ends, or all sessions of a user. `owner` selects its `user_id`: without a row,
 * there is no event.
 */
export const insertRevocation = (
  revoked: Parameters<typeof credentialRevokedEvent>[0],
  owner: Sql | string,
): Sql =>
  insertEvent({
    ...credentialRevokedEvent(revoked),
    from: sql`
      SELECT user_id, NULL::text AS request_id, NULL::text AS ref_code, 0 AS seq
      FROM (${typeof owner === 'string' ? sql`SELECT ${owner}::uuid AS user_id` : owner}) AS owner`,
  });
