import type { PrismaClient } from '@expert-relay/db';
import { deleteEnded } from './delete-ended.ts';
import { deleteUser } from './delete-user.ts';
import { endOpen } from './end-open.ts';
import { revokeKeys } from './revoke-keys.ts';

/** What one call did; an earlier one that was broken off did the rest. */
export interface Erased {
  /** Revoked by this. */
  keys: number;
  ended: number;
  requests: number;
  messages: number;
}

/**
 * Removes everything of a user, in batches, the user last: until then it can be called again. Keys are
 * revoked first, but a call that was let in before may still write: then it begins once more.
 */
export async function eraseUser(prisma: PrismaClient, userId: string): Promise<Erased> {
  const erased: Erased = { keys: 0, ended: 0, requests: 0, messages: 0 };
  do {
    erased.keys += await revokeKeys(prisma, userId);
    // What is overdue has expired, whether or not the worker came by.
    erased.ended += await endOpen(prisma, userId, 'expired');
    erased.ended += await endOpen(prisma, userId, 'closed');
    const deleted = await deleteEnded(prisma, userId);
    erased.requests += deleted.requests;
    erased.messages += deleted.messages;
  } while (!(await deleteUser(prisma, userId)));
  return erased;
}
