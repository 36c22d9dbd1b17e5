import { ownedBy, parseRefCode, sql } from '@expert-relay/db';
import { defineRoute } from '@expert-relay/kit/http';
import { Problem } from '@expert-relay/kit/problem';
import type { Context } from '../context.ts';
import { readState, stateBody } from '../read-state.ts';

export const findByRef = (context: Context) =>
  defineRoute({
    method: 'get',
    path: '/api/v1/requests/by-ref/:refCode',
    allow: ['consumer', 'provider', 'session'],
    async handle({ principal, params }) {
      const refCode = parseRefCode(params.refCode ?? '');
      if (!refCode) throw new Problem('not_found');
      const condition = sql`ref_code = ${refCode} AND ${ownedBy(principal)}`;
      return { status: 200, body: stateBody(await readState(context.query, condition)) };
    },
  });
