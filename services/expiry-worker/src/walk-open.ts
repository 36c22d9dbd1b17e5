import { Prisma, type Query } from '@expert-relay/db';

export interface OpenRequest {
  id: string;
  /** The moment of its expiry, in milliseconds since 1970. */
  expiresAt: number;
  /** Milliseconds until then. */
  remaining: number;
}

/**
 * Pages of the requests that nobody has ended, in the order in which they fall due: from the beginning or from
 * now, until so many milliseconds from now, all by the database's clock.
 */
export async function* walkOpen(
  query: Query,
  options: { from: 'beginning' | 'now'; until: number; pageSize: number },
): AsyncGenerator<readonly OpenRequest[]> {
  const { from, until, pageSize } = options;
  const beginning = from === 'now' ? Prisma.sql`now()` : Prisma.sql`'-infinity'`;
  const limit = Prisma.raw(String(pageSize));
  let last: Pick<OpenRequest, 'id' | 'expiresAt'> | undefined = { id: '', expiresAt: 0 };
  while (last) {
    // Each page begins where the last one ended: the index still lists the rows that have ended since. Bounds as
    // tuples and a limit in the text leave Postgres one plan, along the index, whatever it knows of the table.
    const page: OpenRequest[] = await query<OpenRequest>`
      SELECT request_id AS id, date_part('epoch', at) * 1000 AS "expiresAt",
        date_part('epoch', at - now()) * 1000 AS remaining
      FROM request_stages
      WHERE (stage, at) <= ('open', now() + ${until}::float8 * interval '1 millisecond')
        AND (stage, at, request_id) > ('open', GREATEST(${beginning}, ${new Date(last.expiresAt)}::timestamptz), ${last.id})
      ORDER BY stage, at, request_id LIMIT ${limit}`;
    if (page.length > 0) yield page;
    last = page.length === pageSize ? page.at(-1) : undefined;
  }
}
