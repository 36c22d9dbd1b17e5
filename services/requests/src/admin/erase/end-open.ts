import { requestClosedPayload } from '@expert-relay/contracts';
import { insertSharedEvent, isOpen, moveExpired, overdue, type PrismaClient, sql } from '@expert-relay/db';

const batchSize = 500;

const endings = {
  closed: { due: isOpen, endedAt: sql`clock_timestamp()`, move: sql`SELECT` },
  expired: { due: overdue, endedAt: sql`expires_at`, move: moveExpired },
};

/** Ends what a user has open, or what is over and not yet marked so, each with its event; gives how many. */
export async function endOpen(
  prisma: PrismaClient,
  userId: string,
  reason: keyof typeof endings,
): Promise<number> {
  const { due, endedAt, move } = endings[reason];
  for (let total = 0; ; ) {
    // In the order of an index that begins with the user: by id alone Postgres walks everybody's requests.
    const [row] = await prisma.$queryRaw<{ ended: number }[]>`
      WITH due AS MATERIALIZED (
        SELECT id FROM help_requests WHERE user_id = ${userId}::uuid AND ${due}
        ORDER BY created_at, id LIMIT ${batchSize} FOR UPDATE
      ),
      ended AS (
        UPDATE help_requests SET status = ${reason}::request_status, seq = seq + 1, ended_at = ${endedAt}
        FROM due WHERE help_requests.id = due.id
        RETURNING help_requests.id AS request_id, user_id, ref_code, seq, expires_at
      ),
      moved AS (${move}),
      event AS (${insertSharedEvent({
        type: 'request_closed',
        payload: requestClosedPayload({ reason }),
        from: sql`SELECT user_id, request_id, ref_code, seq FROM ended`,
      })})
      SELECT count(*)::int AS ended FROM ended`;
    const { ended = 0 } = row ?? {};
    if (ended === 0) return total;
    total += ended;
  }
}
