import type { Api } from '@expert-relay/contracts';
import { empty, type Query, sql } from '@expert-relay/db';
import { type Cursor, isTime, uuidPattern } from '@expert-relay/kit/http';

/** The last key of a page. */
export interface KeyCursor extends Cursor {
  readonly isRevoked: boolean;
}

/** The keys of a user, those that are not revoked first, then newest first: up to `limit`, and one more if there are more. */
export function readKeys(
  query: Query,
  userId: string,
  { after, limit }: { after?: KeyCursor | undefined; limit: number },
): Promise<Api.Key[]> {
  const isAfter = after
    ? sql`AND (${after.isRevoked} < (revoked_at IS NOT NULL) OR (
        ${after.isRevoked} = (revoked_at IS NOT NULL)
        AND (created_at, id) < (${after.at}::timestamptz, ${after.id}::uuid)))`
    : empty;
  return query<Api.Key>`
    SELECT id, kind, name, last_four AS "lastFour", created_at AS "createdAt",
      last_used_at AS "lastUsedAt", revoked_at AS "revokedAt"
    FROM api_keys
    WHERE user_id = ${userId}::uuid ${isAfter}
    ORDER BY (revoked_at IS NOT NULL), created_at DESC, id DESC
    LIMIT ${limit + 1}::int`;
}

export const formatKeyCursor = ({ revokedAt, createdAt, id }: Api.Key): string =>
  Buffer.from(`${revokedAt ? 'revoked' : 'live'} ${createdAt} ${id}`).toString('base64url');

export function parseKeyCursor(text: string): KeyCursor | undefined {
  const [part = '', at = '', id = '', ...rest] = Buffer.from(text, 'base64url').toString('latin1').split(' ');
  const isCursor = /^(live|revoked)$/.test(part) && isTime(at) && uuidPattern.test(id) && rest.length === 0;
  return isCursor ? { isRevoked: part === 'revoked', at, id } : undefined;
}
