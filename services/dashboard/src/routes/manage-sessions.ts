import { defineRoute, parseQuery, type Route } from '@expert-relay/kit/http';
import { Problem } from '@expert-relay/kit/problem';
import * as z from 'zod';
import type { Sessions } from '../session/sessions.ts';

/** Lists the sessions of the user: this one first, then the others, the last used first. */
const listSessions = (sessions: Sessions): Route =>
  defineRoute({
    method: 'get',
    path: '/api/sessions',
    allow: ['session'],
    async handle({ principal, callId }) {
      const { sessionId } = principal;
      const found = await sessions.list(principal, callId);
      const isOwn = ({ user }: (typeof found)[number]) => user.sessionId === sessionId;
      const body = {
        sessions: [...found.filter(isOwn), ...found.filter((session) => !isOwn(session))].map(
          ({ user, lastUsedAt }) => ({
            id: user.sessionId,
            device: user.device,
            provider: user.identity.provider,
            createdAt: new Date(user.createdAt).toISOString(),
            lastUsedAt: new Date(lastUsedAt).toISOString(),
            current: user.sessionId === sessionId,
          }),
        ),
      };
      return { status: 200, body };
    },
  });

/** Ends one session of the user, which may be the one of this call. */
const endSession = (sessions: Sessions): Route =>
  defineRoute({
    method: 'delete',
    path: '/api/sessions/:id',
    allow: ['session'],
    async handle({ principal, callId, params }) {
      const found = (await sessions.list(principal, callId)).find(({ user }) => user.sessionId === params.id);
      if (!found) throw new Problem('not_found');
      await sessions.signOut([found.key]);
      return { status: 204 };
    },
  });

const endQuery = z.object({ all: z.enum(['true', 'false'], 'Expected true or false.').default('false') });

/** Ends all other sessions of the user; with `?all=true` this one too. */
const endOtherSessions = (sessions: Sessions): Route =>
  defineRoute({
    method: 'delete',
    path: '/api/sessions',
    allow: ['session'],
    async handle({ principal, callId, query }) {
      const { all } = parseQuery(endQuery, query);
      const found = (await sessions.list(principal, callId)).filter(
        ({ user }) => all === 'true' || user.sessionId !== principal.sessionId,
      );
      await sessions.signOut(found.map(({ key }) => key));
      return { status: 204 };
    },
  });

export const manageSessions = (sessions: Sessions): readonly Route[] => [
  listSessions(sessions),
  endOtherSessions(sessions),
  endSession(sessions),
];
