import type { PrismaClient } from '@expert-relay/db';

const requestsAtOnce = 200;
/** A conversation may hold 10,000: then one of them is a batch. */
const messagesAtOnce = 2_000;

export interface Deleted {
  requests: number;
  messages: number;
}

/** Removes the ended requests of a user with all that hangs on them; gives how many there were. */
export async function deleteEnded(prisma: PrismaClient, userId: string): Promise<Deleted> {
  const total: Deleted = { requests: 0, messages: 0 };
  for (;;) {
    const { requests, messages } = await deleteBatch(prisma, userId);
    if (requests === 0) return total;
    total.requests += requests;
    total.messages += messages;
  }
}

async function deleteBatch(prisma: PrismaClient, userId: string): Promise<Deleted> {
  const [row] = await prisma.$queryRaw<Deleted[]>`
    WITH due AS MATERIALIZED (
      SELECT id, created_at, message_count FROM help_requests
      WHERE user_id = ${userId}::uuid AND status IN ('closed', 'expired')
      ORDER BY created_at, id LIMIT ${requestsAtOnce} FOR UPDATE
    ),
    counted AS (
      SELECT id, sum(message_count) OVER (ORDER BY created_at, id) - message_count AS before FROM due
    ),
    taken AS (SELECT id FROM counted WHERE before < ${messagesAtOnce}),
    said AS (DELETE FROM messages USING taken WHERE request_id = taken.id RETURNING 1),
    gone AS (DELETE FROM help_requests USING taken WHERE help_requests.id = taken.id RETURNING 1)
    SELECT (SELECT count(*)::int FROM gone) AS requests, (SELECT count(*)::int FROM said) AS messages`;
  return row ?? { requests: 0, messages: 0 };
}
