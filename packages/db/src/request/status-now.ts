import { sql } from '../postgres/sql.ts';

/*
 * Whether a conversation has expired, the database's clock alone decides, on every read and write: an
 * overdue row has ended whether or not the worker came by. These conditions on `help_requests` are the
 * only place that says how. `clock_timestamp()`, since a statement that waited for the lock of a row must
 * see the time after the wait.
 */

/** The status as it is now, whatever was last written. */
export const statusNow = sql`
  CASE WHEN status IN ('pending', 'responded') AND expires_at <= clock_timestamp()
    THEN 'expired'::request_status ELSE status END`;

export const isOpen = sql`(status IN ('pending', 'responded') AND expires_at > clock_timestamp())`;

/**
 * Over, but not yet marked so. This one looks rows up, and an index is of no use to a comparison with the
 * volatile `clock_timestamp()`; `now()`, the statement's start, is never later.
 */
export const overdue = sql`(status IN ('pending', 'responded') AND expires_at <= now())`;
