import { type Api, requestClosedEvent } from '@expert-relay/contracts';
import {
  endedProblem,
  eventParts,
  ownedBy,
  type RequestNotes,
  type RequestStatus,
  refCodeColumn,
  requestIdFrom,
  roleOf,
  sql,
  statusNow,
  withoutAbsent,
} from '@expert-relay/db';
import { defineRoute, optionalTextUpTo, parseBody } from '@expert-relay/kit/http';
import { Problem } from '@expert-relay/kit/problem';
import * as z from 'zod';
import type { Context } from '../context.ts';

const schema = z.object({ reason: optionalTextUpTo(500) });

interface Row extends Omit<RequestNotes, 'follows' | 'tags'> {
  id: string;
  refCode: string;
  /** Before this call. */
  status: RequestStatus;
  responseCount: number;
  /** Null if it has expired and this was not written yet. */
  endedAt: string | null;
}

/** Ends a conversation, which cannot be opened again. A repeated close gets the first response again, with the first reason. */
export const closeRequest = (context: Context) =>
  defineRoute({
    method: 'post',
    path: '/api/v1/close/:requestId',
    allow: ['consumer', 'provider', 'session'],
    takesBody: 'optional',
    async handle({ principal, params, body }) {
      const { reason } = parseBody(schema, body);
      const [row] = await context.query<Row>`
        WITH locked AS (
          SELECT id, user_id, ref_code, seq, status, expires_at, response_count, ended_at, closed_by, close_reason
          FROM help_requests
          WHERE id = ${requestIdFrom(params)} AND ${ownedBy(principal)}
          FOR UPDATE
        ),
        request AS (
          SELECT id, ${refCodeColumn}, seq, ${statusNow} AS status, response_count, ended_at, closed_by, close_reason
          FROM locked
        ),
        closed AS (
          UPDATE help_requests
          SET status = 'closed', ended_at = clock_timestamp(), seq = request.seq + 1,
            closed_by = ${roleOf(principal)}::message_role, close_reason = ${reason ?? null}
          FROM request
          WHERE help_requests.id = request.id AND request.status IN ('pending', 'responded')
          RETURNING help_requests.user_id, help_requests.id AS request_id, help_requests.ref_code,
            help_requests.seq, help_requests.ended_at, help_requests.closed_by, help_requests.close_reason
        ),
        ${eventParts({
          ...requestClosedEvent({ reason: 'closed' }),
          from: sql`SELECT user_id, request_id, ref_code, seq FROM closed`,
        })}
        SELECT id, "refCode", status, response_count AS "responseCount",
          COALESCE(closed.ended_at, request.ended_at) AS "endedAt",
          COALESCE(closed.closed_by, request.closed_by) AS "closedBy",
          COALESCE(closed.close_reason, request.close_reason) AS "closeReason"
        FROM request LEFT JOIN closed ON TRUE`;

      if (!row) throw new Problem('not_found');
      if (row.status === 'expired') throw endedProblem(row.status);
      if (row.status !== 'closed') context.wakeOutbox();
      return {
        status: 200,
        body: withoutAbsent({
          requestId: row.id,
          refCode: row.refCode,
          status: 'closed' as const,
          responseCount: row.responseCount,
          closedAt: row.endedAt as string,
          closedBy: row.closedBy,
          closeReason: row.closeReason,
        }) satisfies Api.ClosedRequest,
      };
    },
  });
