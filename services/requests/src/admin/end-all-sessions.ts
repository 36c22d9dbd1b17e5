import { credentialRevokedEvent } from '@expert-relay/contracts';
import { insertEvent, type Sql, sql } from '@expert-relay/db';

/** The part of a statement that records the event that ends the streams of all sessions of a user. */
export const endAllSessions = (userId: string): Sql =>
  insertEvent({
    ...credentialRevokedEvent({ allSessions: true }),
    from: sql`SELECT ${userId}::uuid AS user_id, NULL::text AS request_id, NULL::text AS ref_code, 0 AS seq`,
  });
