import { ownedBy, requestIdFrom, sql } from '@expert-relay/db';
import { defineRoute } from '@expert-relay/kit/http';
import type { Context } from '../context.ts';
import { readState, stateBody } from '../read-state.ts';

/** The legacy poll. Its response contains no content of the request, since it is also sent without a key. */
export const pollHelp = (context: Context) =>
  defineRoute({
    method: 'get',
    path: '/api/v1/help/:requestId',
    allow: ['consumer', 'provider', 'nobody'],
    async handle({ principal, params }) {
      const isAllowed = principal.kind === 'nobody' ? sql`TRUE` : ownedBy(principal);
      const state = await readState(context.query, sql`id = ${requestIdFrom(params)} AND ${isAllowed}`);
      return { status: 200, body: stateBody(state) };
    },
  });
