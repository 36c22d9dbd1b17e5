import { defineRoute, parseBody } from '@expert-relay/kit/http';
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
      const grant = { userId: principal.userId, credential: credentialOf(principal), topics };
      return { status: 201, body: await context.signStreamToken(grant) };
    },
  });
