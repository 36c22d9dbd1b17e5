import { requestIdFrom } from '@expert-relay/db';
import { defineRoute, parseQuery } from '@expert-relay/kit/http';
import * as z from 'zod';
import type { Context } from '../context.ts';
import { conversationPieces } from '../conversation/conversation-pieces.ts';
import { readHead } from '../conversation/read-head.ts';

const wholeNumber = (expected: string) =>
  z
    .string()
    .regex(/^\d{1,9}$/, expected)
    .transform(Number);

const schema = z.object({
  after: wholeNumber('Expected the `seq` of a message.').default(0),
  limit: wholeNumber('Expected a whole number from 1.')
    .refine((limit) => limit > 0, { error: 'Expected a whole number from 1.' })
    .optional(),
});

/** The whole conversation, in order; `after` and `limit` narrow it. */
export const listMessages = (context: Context) =>
  defineRoute({
    method: 'get',
    path: '/api/v1/messages/:requestId',
    allow: ['consumer', 'provider', 'session'],
    async handle({ principal, params, query }) {
      const { after, limit } = parseQuery(schema, query);
      const conversation = await readHead(context.query, principal, requestIdFrom(params), after);
      return { status: 200, stream: conversationPieces(context.query, conversation, { after, limit }) };
    },
  });
