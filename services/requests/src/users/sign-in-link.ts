import { createHash, randomBytes } from 'node:crypto';
import type { PrismaClient } from '@expert-relay/db';

export interface SignInLink {
  readonly linkId: string;
  /** The only copy of the link, since only its digest is stored. */
  readonly url: string;
  readonly expiresAt: Date;
}

/** Links that have expired or were used are kept for this time, so that the operator can look them up. */
const keptDays = 30;

export async function createSignInLink(
  prisma: PrismaClient,
  { userId, minutes, publicUrl }: { userId: string; minutes: number; publicUrl: string },
): Promise<SignInLink> {
  const token = randomBytes(32).toString('base64url');
  await prisma.$executeRaw`
    DELETE FROM sign_in_links WHERE expires_at < clock_timestamp() - make_interval(days => ${keptDays})`;
  const [link] = await prisma.$queryRaw<{ linkId: string; expiresAt: Date }[]>`
    INSERT INTO sign_in_links (token_digest, user_id, expires_at)
    VALUES (${digestOf(token)}, ${userId}::uuid, now() + make_interval(mins => ${minutes}))
    RETURNING id AS "linkId", expires_at AS "expiresAt"`;
  if (!link) throw new Error('the link was not created');
  const url = new URL('/auth/link', publicUrl);
  url.searchParams.set('token', token);
  return { ...link, url: url.href };
}

export interface UsedLink {
  readonly linkId: string;
  readonly userId: string;
  readonly name: string;
}

/** The user of a link that can be used; `undefined` when it is unknown, used or expired. */
export async function findLinkUser(
  prisma: PrismaClient,
  token: string,
): Promise<{ name: string; email: string | null } | undefined> {
  const [user] = await prisma.$queryRaw<{ name: string; email: string | null }[]>`
    SELECT name, email FROM sign_in_links JOIN users ON users.id = user_id
    WHERE token_digest = ${digestOf(token)} AND used_at IS NULL AND expires_at > clock_timestamp()`;
  return user;
}

/** Marks a link as used; `undefined` when it is unknown, used or expired. A repeated call gets its first result. */
export async function useSignInLink(
  prisma: PrismaClient,
  { token, callId }: { token: string; callId: string },
): Promise<UsedLink | undefined> {
  const [used] = await prisma.$queryRaw<UsedLink[]>`
    WITH used AS (
      UPDATE sign_in_links SET used_at = coalesce(used_at, clock_timestamp()), used_call_id = ${callId}::uuid
      WHERE token_digest = ${digestOf(token)}
        AND (used_call_id = ${callId}::uuid OR (used_at IS NULL AND expires_at > clock_timestamp()))
      RETURNING id, user_id
    )
    SELECT used.id AS "linkId", used.user_id AS "userId", users.name
    FROM used JOIN users ON users.id = used.user_id`;
  return used;
}

const digestOf = (token: string): Buffer => createHash('sha256').update(token).digest();
