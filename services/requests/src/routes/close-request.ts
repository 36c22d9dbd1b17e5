import { requestClosedPayload } from '@expert-relay/contracts';
import {
  endedProblem,
  formatRefCode,
  insertEvent,
  ownedBy,
  type RequestStatus,
  requestIdFrom,
  sql,
  statusNow,
} from '@expert-relay/db';
import { defineRoute } from '@expert-relay/kit/http';
import { Problem } from '@expert-relay/kit/problem';
import type { Context } from '../context.ts';

interface Row {
  id: string;
  refCode: string;
  /** Before this call. */
  status: RequestStatus;
  endedAt: string | null;
}

/** Ends a conversation, which cannot be opened again. A repeated close gets the first answer again. */
export const closeRequest = (context: Context) =>
  defineRoute({
    method: 'post',
    path: '/api/v1/close/:requestId',
    allow: ['consumer', 'provider', 'session'],
    async handle({ principal, params }) {
      const [row] = await context.query<Row>`
        WITH request AS (
          SELECT id, user_id, ref_code, seq, ${statusNow} AS status, ended_at
          FROM help_requests
          WHERE id = ${requestIdFrom(params)} AND ${ownedBy(principal)}
          FOR UPDATE
        ),
        closed AS (
          UPDATE help_requests
          SET status = 'closed', ended_at = clock_timestamp(), seq = request.seq + 1
          FROM request
          WHERE help_requests.id = request.id AND request.status IN ('pending', 'responded')
          RETURNING help_requests.user_id, help_requests.id AS request_id, help_requests.ref_code,
            help_requests.seq, help_requests.ended_at
        ),
        event AS (${insertEvent({
          type: 'request_closed',
          payload: requestClosedPayload({ reason: 'closed' }),
          from: sql`SELECT user_id, request_id, ref_code, seq FROM closed`,
        })})
        SELECT id, ref_code AS "refCode", status,
          COALESCE((SELECT ended_at FROM closed), ended_at) AS "endedAt"
        FROM request`;

      if (!row) throw new Problem('not_found');
      if (row.status === 'expired') throw endedProblem(row.status);
      if (row.status !== 'closed') context.wakeOutbox();
      return {
        status: 200,
        body: {
          requestId: row.id,
          refCode: formatRefCode(row.refCode),
          status: 'closed',
          closedAt: row.endedAt,
        },
      };
    },
  });
