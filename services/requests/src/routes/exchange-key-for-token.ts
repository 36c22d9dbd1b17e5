import { findKey } from '@expert-relay/db';
import { parseApiKey } from '@expert-relay/kit/api-key';
import { defineRoute, parseBody } from '@expert-relay/kit/http';
import { Problem } from '@expert-relay/kit/problem';
import * as z from 'zod';
import type { Context } from '../context.ts';
import { checkTopics, credentialOf, topicsSchema } from '../stream-tokens/check-topics.ts';

const schema = z.object({ apiKey: z.string(), topics: topicsSchema });

/** For the hub, which has no database: exchanges the API key of a subscription for a stream token. */
export const exchangeKeyForToken = (context: Context) =>
  defineRoute({
    method: 'post',
    path: '/internal/stream-token',
    allow: ['hub'],
    takesBody: true,
    async handle({ body }) {
      const { apiKey, topics } = parseBody(schema, body);
      const parsed = parseApiKey(apiKey);
      const party = parsed && (await findKey(context.query, parsed));
      if (!party) throw new Problem('unauthorized');
      await checkTopics(context.query, party, topics);
      context.noteKeyUse(party);
      const grant = { userId: party.userId, credential: credentialOf(party), topics };
      return { status: 201, body: await context.signStreamToken(grant) };
    },
  });
