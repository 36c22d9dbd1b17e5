import { defineRoute, parseBody } from '@expert-relay/kit/http';
import * as z from 'zod';
import type { Context } from '../context.ts';

const schema = z.object({ userIds: z.array(z.uuid()).max(1_000) });

/**
 * Finds users who were erased, and users whose sessions the operator has ended. The dashboard calls it for the users of its
 * sessions, and ends them.
 */
export const findEndedUsers = (context: Context) =>
  defineRoute({
    method: 'post',
    path: '/internal/users/missing',
    allow: ['signin'],
    takesBody: true,
    isPolled: true,
    async handle({ body }) {
      const { userIds } = parseBody(schema, body);
      const users = await context.query<{ id: string; sessionsEndedAt: string | null }>`
        SELECT id, sessions_ended_at AS "sessionsEndedAt" FROM users WHERE id = ANY(${userIds}::uuid[])`;
      const existing = new Set(users.map(({ id }) => id));
      const ended = users.flatMap(({ id, sessionsEndedAt }) =>
        sessionsEndedAt ? [{ userId: id, at: Date.parse(sessionsEndedAt) }] : [],
      );
      return { status: 200, body: { missing: userIds.filter((id) => !existing.has(id)), ended } };
    },
  });
