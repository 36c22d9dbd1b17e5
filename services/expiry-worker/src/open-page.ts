import { raw, type Sql, sql } from '@expert-relay/db';

/** Where a page ends, and the next one goes on; `at` may also be `now` or `-infinity`. */
export interface Place {
  at: string;
  request_id: string;
}

/**
 * A part of a statement: the requests that nobody has ended, in the order in which they fall due, after a place and
 * until so many milliseconds from now, by the database's clock.
 *
 * A page begins where the last one ended, since the index still lists the rows that have ended in between. Bounds as
 * tuples and a limit in the text leave Postgres one plan, along the index, whatever it knows of the table.
 */
export function openPage(page: { after: Place; until?: number; size: number }): Sql {
  const { after, until = 0, size } = page;
  return sql`
    SELECT at, request_id FROM request_stages
    WHERE (stage, at) <= ('open', now() + ${until}::float8 * interval '1 millisecond')
      AND (stage, at, request_id) > ('open', ${after.at}::timestamptz, ${after.request_id})
    ORDER BY stage, at, request_id LIMIT ${raw(String(size))}`;
}
