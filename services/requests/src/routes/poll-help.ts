import { ownedBy, requestIdFrom, sql } from '@expert-relay/db';
import { defineRoute } from '@expert-relay/kit/http';
import type { Context } from '../context.ts';
import { readState, stateBody } from '../read-state.ts';

/** The legacy poll: state only, no content, since it is served without a key too. */
export const pollHelp = (context: Context) =>
  defineRoute({
    method: 'get',
    path: '/api/v1/help/:requestId',
    allow: ['consumer', 'provider', 'nobody'],
    async handle({ principal, params }) {
      const mine = principal.kind === 'nobody' ? sql`TRUE` : ownedBy(principal);
      const state = await readState(context.query, sql`id = ${requestIdFrom(params)} AND ${mine}`);
      return { status: 200, body: stateBody(state) };
    },
  });
