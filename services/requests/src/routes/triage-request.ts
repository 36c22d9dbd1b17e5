import { type Api, requestTriagedEvent } from '@expert-relay/contracts';
import {
  empty,
  endedProblem,
  eventParts,
  ownedBy,
  type Party,
  type RequestStatus,
  refCodeColumn,
  requestIdFrom,
  type Sql,
  sql,
  statusNow,
  withoutAbsent,
} from '@expert-relay/db';
import { defineRoute, parseBody, timeSchema } from '@expert-relay/kit/http';
import { Problem } from '@expert-relay/kit/problem';
import * as z from 'zod';
import type { Context } from '../context.ts';

/*
 * What an expert decides about a request without a word to its agent: to see it later, or that there is nothing to answer. A message of
 * the agent ends both.
 */

const time = timeSchema('Expected a time such as 2026-12-01T08:00:00Z.');
const settleSchema = z.object({ seenUntil: time });
const snoozeSchema = settleSchema.extend({ until: time.optional() });

/** Moves a request to the end of the list, and keeps channels quiet about it, until a time or until the agent writes. */
export const snoozeRequest = (context: Context) =>
  defineRoute({
    method: 'put',
    path: '/internal/requests/:requestId/snooze',
    allow: ['session'],
    takesBody: true,
    handle({ principal, params, body }) {
      const { seenUntil, until } = parseBody(snoozeSchema, body);
      return triage(context, {
        principal,
        requestId: requestIdFrom(params),
        seenUntil,
        change: sql`snoozed_until = LEAST(${until ?? 'infinity'}::timestamptz, help_requests.expires_at)`,
      });
    },
  });

export const endSnooze = (context: Context) =>
  defineRoute({
    method: 'delete',
    path: '/internal/requests/:requestId/snooze',
    allow: ['session'],
    handle: ({ principal, params }) =>
      triage(context, {
        principal,
        requestId: requestIdFrom(params),
        change: sql`snoozed_until = NULL`,
      }),
  });

/** Moves a request whose agent has written after the answer to those that are answered. */
export const settleRequest = (context: Context) =>
  defineRoute({
    method: 'post',
    path: '/internal/requests/:requestId/settle',
    allow: ['session'],
    takesBody: true,
    handle: ({ principal, params, body }) =>
      triage(context, {
        principal,
        requestId: requestIdFrom(params),
        seenUntil: parseBody(settleSchema, body).seenUntil,
        needsAnswer: true,
        change: sql`turn = 'consumer', snoozed_until = NULL`,
      }),
  });

interface TriageCall {
  readonly principal: Party;
  readonly requestId: string;
  /** The time of the newest message that the expert has seen. If the agent has written since, nothing changes. */
  readonly seenUntil?: string;
  /** Whether it is refused before the first answer. */
  readonly needsAnswer?: boolean;
  readonly change: Sql;
}

interface Row extends Pick<Api.Triage, 'refCode' | 'turn'> {
  snoozedUntil: string | null;
  status: RequestStatus;
  isAnswered: boolean;
  isSeen: boolean;
}

/** Changes a request that waits for the expert. One that waits for the agent stays as it is. */
async function triage(context: Context, given: TriageCall) {
  const { principal, requestId, seenUntil, needsAnswer = false, change } = given;
  const isSeen =
    seenUntil === undefined
      ? sql`TRUE`
      : sql`(turn = 'consumer' OR COALESCE(last_message_at, created_at) <= ${seenUntil}::timestamptz)`;
  const [row] = await context.query<Row>`
    WITH locked AS (
      SELECT id, ref_code, seq, status, expires_at, turn, snoozed_until, response_count > 0 AS is_answered, ${isSeen} AS is_seen
      FROM help_requests
      WHERE id = ${requestId} AND ${ownedBy(principal)}
      FOR NO KEY UPDATE
    ),
    request AS (
      SELECT id, ${refCodeColumn}, seq, ${statusNow} AS status, turn, snoozed_until, is_answered, is_seen FROM locked
    ),
    changed AS (
      UPDATE help_requests SET ${change}, seq = request.seq + 1
      FROM request
      WHERE help_requests.id = request.id AND request.status IN ('pending', 'responded') AND request.turn = 'provider'
        AND is_seen ${needsAnswer ? sql`AND is_answered` : empty}
      RETURNING help_requests.user_id, help_requests.id AS request_id, help_requests.ref_code, help_requests.seq,
        help_requests.turn, help_requests.snoozed_until
    ),
    ${eventParts({
      ...requestTriagedEvent(),
      from: sql`SELECT user_id, request_id, ref_code, seq FROM changed`,
    })}
    SELECT "refCode", status, is_answered AS "isAnswered", is_seen AS "isSeen",
      CASE COALESCE(changed.turn, request.turn) WHEN 'provider' THEN 'expert' ELSE 'agent' END AS turn,
      CASE WHEN changed.request_id IS NULL THEN request.snoozed_until ELSE changed.snoozed_until END AS "snoozedUntil"
    FROM request LEFT JOIN changed ON TRUE`;

  if (!row) throw new Problem('not_found');
  const { refCode, status, turn, snoozedUntil } = row;
  if (status === 'closed' || status === 'expired') throw endedProblem(status);
  if (!row.isSeen) throw new Problem('agent_has_written');
  if (needsAnswer && !row.isAnswered) throw new Problem('not_answered');
  context.wakeOutbox();
  const body: Api.Triage = { requestId, refCode, turn, ...withoutAbsent({ snoozedUntil }) };
  return { status: 200, body };
}
