import { type Api, startPositionOf } from '@expert-relay/contracts';
import { makeRefCode, makeRequestId, withoutAbsent } from '@expert-relay/db';
import { defineRoute, parseBody, type RouteResponse } from '@expert-relay/kit/http';
import type { Context } from '../context.ts';
import { findRepeated, idempotencyKeyOf } from '../submit/idempotency.ts';
import { type InsertedRequest, insertRequest } from '../submit/insert-request.ts';
import { submitSchema } from '../submit/submit-schema.ts';

export const submitHelp = (context: Context) => {
  const schema = submitSchema(context.conversationTtl);
  return defineRoute({
    method: 'post',
    path: '/api/v1/help',
    allow: ['consumer'],
    takesBody: true,
    async handle({ principal, callId, headers, body }) {
      const submission = parseBody(schema, body);
      const { expiresIn } = submission;
      const draft = {
        userId: principal.userId,
        consumerKeyId: principal.apiKeyId,
        callId,
        ttl: expiresIn ? expiresIn * 1_000 : context.conversationTtl,
        submission,
        idempotency: idempotencyKeyOf(headers['idempotency-key'] as string | undefined, submission),
      };
      // A second attempt is needed only when the new reference code exists already, which is very rare.
      for (let attempt = 1; ; attempt++) {
        const request = { ...draft, id: makeRequestId(), refCode: makeRefCode() };
        const inserted = await insertRequest(context.query, request);
        if (inserted) {
          context.wakeOutbox();
          return created(inserted, expiresIn);
        }
        const repeated = await findRepeated(context.query, request);
        if (repeated) {
          const response = created(repeated, expiresIn);
          if (!draft.idempotency) return response;
          return { ...response, headers: { ...response.headers, 'idempotent-replayed': 'true' } };
        }
        if (attempt === 3) throw new Error('no free reference code in three attempts');
      }
    },
  });
};

const created = (
  { id, refCode, createdAt, expiresAt, ...stored }: InsertedRequest,
  expiresIn: number | null | undefined,
): RouteResponse => ({
  status: 201,
  // An agent that begins its stream there misses no event, and needs no list.
  headers: { 'relay-position': startPositionOf(Date.parse(createdAt)) },
  body: {
    requestId: id,
    refCode,
    status: 'pending',
    expiresAt,
    // Their presence shows the agent that they were stored.
    ...withoutAbsent(stored),
    ...(expiresIn != null && { expiresIn }),
  } satisfies Api.SubmittedRequest,
});
