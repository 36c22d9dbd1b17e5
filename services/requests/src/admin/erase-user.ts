import { requestClosedEvent } from '@expert-relay/contracts';
import {
  endedPerBatch,
  eventParts,
  isOpen,
  moveExpired,
  overdue,
  type PrismaClient,
  type Query,
  sql,
  waitForOutbox,
} from '@expert-relay/db';
import { StartupError } from '@expert-relay/kit/lifecycle';
import { revokeKey } from '../api-keys/revoke-key.ts';
import { revocationParts } from '../revocation-parts.ts';
import { type Command, findUser, parseOptions, userOptions } from './command.ts';

const usage = `Erases a user permanently, with everything that is stored about them.

  node services/requests/dist/admin.js erase-user --user USER_ID --yes
  node services/requests/dist/admin.js erase-user --identity PROVIDER:SUBJECT --yes

  --yes   does it; without it, the command only prints what would be erased
  --json  prints JSON: {"userId", "keys", "ended", "requests", "messages"}

First the keys are revoked and the open conversations are ended, each with its event. After the command no session of the user
can be used, and within five seconds their streams end.
It waits while more than 1,000 events are not published: when it does not go on, NATS is away.
The command may be interrupted at any time; call it again to continue. It reads DATABASE_URL.
`;

const options = {
  ...userOptions,
  yes: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
} as const;

export const eraseUserCommand: Command = {
  usage,
  read(args) {
    const { yes, json, ...userName } = parseOptions(args, options, usage);
    const find = findUser(userName, usage);
    return async (prisma, write) => {
      const { id: userId, name } = await find(prisma);
      if (!yes) {
        const where = { userId };
        const [requests, keys] = [
          await prisma.helpRequest.count({ where }),
          await prisma.apiKey.count({ where }),
        ];
        throw new StartupError(
          `This would erase the user ${name} (${userId}) permanently, with ${keys} keys and ${requests} requests. ` +
            'Nothing was done yet: add --yes to do it. Use export-user first to keep a copy.',
        );
      }
      const { keys, ended, requests, messages } = await eraseUser(prisma, userId);
      await write(
        json
          ? `${JSON.stringify({ userId, keys, ended, requests, messages })}\n`
          : `Erased the user ${name} (${userId}): revoked ${keys} keys, ended ${ended} open conversations, ` +
              `removed ${requests} requests with ${messages} messages.\n`,
      );
    };
  },
};

/** The result of this call. An earlier call that was interrupted may have done a part. */
interface Erased {
  keys: number;
  ended: number;
  requests: number;
  messages: number;
}

/**
 * Removes all data of a user in batches, and the user's row last, so that it can be called again after an interruption.
 * Keys are revoked first. If a call that was accepted before then still writes something, the removal starts again.
 */
async function eraseUser(prisma: PrismaClient, userId: string): Promise<Erased> {
  const erased: Erased = { keys: 0, ended: 0, requests: 0, messages: 0 };
  do {
    erased.keys += await revokeKeys(prisma, userId);
    // Overdue conversations have expired even if the worker has not marked them yet.
    erased.ended += await endOpen(prisma, userId, 'expired');
    erased.ended += await endOpen(prisma, userId, 'closed');
    const deleted = await deleteEnded(prisma, userId);
    erased.requests += deleted.requests;
    erased.messages += deleted.messages;
  } while (!(await deleteUser(prisma, userId)));
  return erased;
}

const keysPerPage = 100;

/** Revokes the valid keys of a user, each with its event. Returns their number. */
async function revokeKeys(prisma: PrismaClient, userId: string): Promise<number> {
  for (let count = 0; ; ) {
    const keys = await prisma.apiKey.findMany({
      where: { userId, revokedAt: null },
      select: { id: true },
      take: keysPerPage,
    });
    if (keys.length === 0) return count;
    for (const { id: keyId } of keys) await revokeKey(prisma, { keyId, userId });
    count += keys.length;
  }
}

const endings = {
  closed: { due: isOpen, endedAt: sql`clock_timestamp()`, move: sql`SELECT` },
  expired: { due: overdue, endedAt: sql`expires_at`, move: moveExpired },
};

/** Ends the open conversations of a user, or marks the expired ones, with their events. Returns their number. */
async function endOpen(prisma: PrismaClient, userId: string, reason: keyof typeof endings): Promise<number> {
  const { due, endedAt, move } = endings[reason];
  const query: Query = (text, ...values) => prisma.$queryRaw(text, ...values);
  // Each batch begins after the one before, so that none passes over the requests that were ended already.
  let last = { at: '-infinity', id: '' };
  for (let total = 0; ; ) {
    await waitForOutbox(query);
    // An index has this order within a user. With an order by id only, Postgres would scan the requests of all users.
    const [row] = await prisma.$queryRaw<{ ended: number; at: string; id: string }[]>`
      WITH due AS MATERIALIZED (
        SELECT id, created_at FROM help_requests
        WHERE user_id = ${userId}::uuid AND ${due} AND (created_at, id) > (${last.at}::timestamptz, ${last.id})
        ORDER BY created_at, id LIMIT ${endedPerBatch} FOR UPDATE
      ),
      ended AS (
        UPDATE help_requests SET status = ${reason}::request_status, seq = seq + 1, ended_at = ${endedAt}
        FROM due WHERE help_requests.id = due.id
        RETURNING help_requests.id AS request_id, user_id, ref_code, seq, expires_at
      ),
      moved AS (${move}),
      ${eventParts({
        ...requestClosedEvent({ reason }),
        from: sql`SELECT user_id, request_id, ref_code, seq FROM ended`,
      })}
      SELECT (SELECT count(*)::int FROM ended) AS ended, created_at::text AS at, id
      FROM due ORDER BY created_at DESC, id DESC LIMIT 1`;
    if (!row) return total;
    total += row.ended;
    last = row;
  }
}

const requestsPerBatch = 200;
/** A conversation with more messages (up to 10,000) is one batch. */
const messagesPerBatch = 2_000;

interface Deleted {
  requests: number;
  messages: number;
}

/** Deletes the ended requests of a user with their messages. Returns their numbers. */
async function deleteEnded(prisma: PrismaClient, userId: string): Promise<Deleted> {
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
      ORDER BY created_at, id LIMIT ${requestsPerBatch} FOR UPDATE
    ),
    counted AS (
      SELECT id, sum(message_count) OVER (ORDER BY created_at, id) - message_count AS before FROM due
    ),
    batch AS (SELECT id FROM counted WHERE before < ${messagesPerBatch}),
    deleted_messages AS (DELETE FROM messages USING batch WHERE request_id = batch.id RETURNING 1),
    deleted_requests AS (DELETE FROM help_requests USING batch WHERE help_requests.id = batch.id RETURNING 1)
    SELECT (SELECT count(*)::int FROM deleted_requests) AS requests,
      (SELECT count(*)::int FROM deleted_messages) AS messages`;
  return row ?? { requests: 0, messages: 0 };
}

/**
 * Deletes a user with keys, identities and vault. Returns false when the user still has requests or valid keys. The lock
 * prevents new keys and requests, which refer to the user's row.
 */
export function deleteUser(prisma: PrismaClient, userId: string): Promise<boolean> {
  return prisma.$transaction(async (transaction) => {
    await transaction.$queryRaw`SELECT 1 FROM users WHERE id = ${userId}::uuid FOR UPDATE`;
    const { helpRequest, apiKey, outboxEvent, user } = transaction;
    if ((await helpRequest.count({ where: { userId } })) > 0) return false;
    if ((await apiKey.count({ where: { userId, revokedAt: null } })) > 0) return false;
    // The outbox publishes and deletes the other events, but the worker would keep failed ones for the retention.
    await outboxEvent.deleteMany({ where: { userId, failedAt: { not: null } } });
    await user.delete({ where: { id: userId } });
    await transaction.$executeRaw`WITH ${revocationParts({ allSessions: true }, userId)} SELECT 1`;
    return true;
  });
}
