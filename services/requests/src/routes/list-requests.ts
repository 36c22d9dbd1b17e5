import { excerptLength } from '@expert-relay/contracts';
import { join, ownedBy, sql, statusNow } from '@expert-relay/db';
import { defineRoute, parseQuery } from '@expert-relay/kit/http';
import { z } from 'zod';
import type { Context } from '../context.ts';
import { formatCursor, parseCursor } from '../list-cursor.ts';
import { type RequestState, stateBody, stateColumns } from '../read-state.ts';

const limits = 'Expected a whole number from 1 to 200.';

const schema = z.object({
  status: z
    .enum(['pending', 'responded', 'closed', 'expired'], {
      error: 'Expected pending, responded, closed or expired.',
    })
    .optional(),
  q: z.string().max(200, 'Expected at most 200 characters.').optional(),
  after: z
    .string()
    .transform(parseCursor)
    .refine((cursor) => cursor !== undefined, {
      error: 'Expected the `next` of the page before.',
    })
    .optional(),
  limit: z
    .string()
    .regex(/^\d{1,3}$/, limits)
    .transform(Number)
    .pipe(z.number().min(1, limits).max(200, limits))
    .default(50),
});

type Row = RequestState & { question: string };

/** Newest first. A provider key and a session see their user's requests, a consumer key its own. */
export const listRequests = (context: Context) =>
  defineRoute({
    method: 'get',
    path: '/api/v1/requests',
    allow: ['consumer', 'provider', 'session'],
    async handle({ principal, query }) {
      const { status, q, after, limit } = parseQuery(schema, query);
      const conditions = [
        ownedBy(principal),
        ...(status ? [sql`${statusNow} = ${status}::request_status`] : []),
        ...(q
          ? [sql`(position(lower(${q}) IN lower(question)) > 0 OR 'HS-' || ref_code = upper(${q}))`]
          : []),
        ...(after ? [sql`(created_at, id) < (${after.createdAt}::timestamptz, ${after.id})`] : []),
      ];
      const rows = await context.query<Row>`
        SELECT ${stateColumns}, left(COALESCE(question, ''), ${excerptLength}::int) AS question
        FROM help_requests
        WHERE ${join(conditions, ' AND ')}
        ORDER BY created_at DESC, id DESC
        LIMIT ${limit + 1}`;

      const page = rows.slice(0, limit);
      const last = rows.length > limit ? page.at(-1) : undefined;
      return {
        status: 200,
        body: {
          requests: page.map((row) => ({ ...stateBody(row), question: row.question })),
          ...(last && { next: formatCursor(last) }),
        },
      };
    },
  });
