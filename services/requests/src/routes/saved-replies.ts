import { defineRoute, parseBody } from '@expert-relay/kit/http';
import * as z from 'zod';
import type { Context } from '../context.ts';
import { readSealed, sealedSchema, writeSealed } from '../sealed/sealed-value.ts';

const schema = z.object({ savedReplies: sealedSchema(128 * 1_024) });

/** Texts that the expert uses often, encrypted with the expert key. */
export const getSavedReplies = (context: Context) =>
  defineRoute({
    method: 'get',
    path: '/internal/saved-replies',
    allow: ['session'],
    async handle({ principal: { userId } }) {
      const found = await readSealed(context, { userId, name: 'saved_replies' });
      return found
        ? { status: 200, body: { savedReplies: found.value }, headers: found.headers }
        : { status: 200, body: {} };
    },
  });

export const putSavedReplies = (context: Context) =>
  defineRoute({
    method: 'put',
    path: '/internal/saved-replies',
    allow: ['session'],
    takesBody: true,
    handle: ({ principal: { userId }, headers, body }) =>
      writeSealed(context, {
        userId,
        name: 'saved_replies',
        text: parseBody(schema, body).savedReplies,
        ifMatch: headers['if-match'] as string | undefined,
      }),
  });
