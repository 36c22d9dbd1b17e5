import type { Query } from '@expert-relay/db';
import { defineRoute, parseBody } from '@expert-relay/kit/http';
import type { SessionPrincipal } from '@expert-relay/kit/principal';
import * as z from 'zod';
import type { Context } from '../context.ts';
import { checkTopics, credentialOf, topicsSchema } from '../stream-tokens/check-topics.ts';

const schema = z.object({ topics: topicsSchema });

export const createStreamToken = (context: Context) =>
  defineRoute({
    method: 'post',
    path: '/api/v1/stream-token',
    allow: ['consumer', 'provider', 'session'],
    takesBody: true,
    async handle({ principal, body }) {
      const { topics } = parseBody(schema, body);
      await checkTopics(context.query, principal, topics);
      // An open page makes a token at least once an hour. So the push subscription of a session in use goes on showing questions.
      if (principal.kind === 'session') await renewSubscription(context.query, principal);
      const grant = { userId: principal.userId, credential: credentialOf(principal), topics };
      return { status: 201, body: await context.signStreamToken(grant) };
    },
  });

/** A subscription that is locked is renewed with the next token. */
async function renewSubscription(query: Query, { sessionId, endsAt }: SessionPrincipal): Promise<void> {
  await query`
    UPDATE notification_endpoints SET session_ends_at = to_timestamp(${endsAt / 1_000}::float8)
    WHERE id IN (
      SELECT id FROM notification_endpoints
      WHERE session_id = ${sessionId}::uuid AND session_ends_at < to_timestamp(${endsAt / 1_000 - 60}::float8)
      FOR NO KEY UPDATE SKIP LOCKED)`;
}
