import { sql } from '../postgres/sql.ts';

/**
 * The part of a statement that moves the rows of expired requests in `request_stages`. It stands in a `WITH`
 * beside the change of the requests, called `ended`, which returns their `request_id` and `expires_at`.
 *
 * Every other change of a request is followed by a trigger. One row at a time it would be half of what an
 * expiry costs.
 *
 * Each is looked up by the index, whatever Postgres knows of the table: as a plain join it compared all open rows with
 * all ended ones when the statistics were from a time without open rows. Nobody else moves a row meanwhile, since its
 * request is locked.
 */
export const moveExpired = sql`
  UPDATE request_stages SET stage = 'ended' WHERE ctid = ANY(ARRAY(
    SELECT place.ctid FROM ended, LATERAL (
      SELECT ctid FROM request_stages
      WHERE stage = 'open' AND at = ended.expires_at AND request_stages.request_id = ended.request_id
      OFFSET 0) AS place))`;
