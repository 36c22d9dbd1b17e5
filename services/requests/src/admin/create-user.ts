import { randomUUID } from 'node:crypto';
import type { PrismaClient } from '@expert-relay/db';
import type { KeyKind } from '@expert-relay/kit/api-key';
import { insertKey } from '../api-keys/insert-key.ts';
import { findOrMakeUser } from '../users/find-or-make-user.ts';

export interface CreatedUser {
  userId: string;
  /** In full, for the first and last time. */
  keys: { kind: KeyKind; key: string }[];
}

/** A user with keys, where nobody can sign in yet. An identity that exists gets further keys. */
export async function createUser(
  prisma: PrismaClient,
  user: { name: string; provider: string; subject: string; keys: readonly KeyKind[] },
): Promise<CreatedUser> {
  const { userId } = await findOrMakeUser(prisma, user);
  const keys: CreatedUser['keys'] = [];
  for (const kind of user.keys) {
    const { text } = await insertKey(prisma, {
      userId,
      kind,
      name: `${user.name} (${kind})`,
      callId: randomUUID(),
    });
    keys.push({ kind, key: text });
  }
  return { userId, keys };
}
