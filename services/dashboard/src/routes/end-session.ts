import { readBody, sendAnswer } from '@expert-relay/kit/http';
import { Problem } from '@expert-relay/kit/problem';
import type { RequestHandler } from 'express';
import type { Sessions } from '../session/sessions.ts';
import { requireUser } from './proxy-to-service.ts';

/** Ends one session of the user, which may be the one of this call. */
export const endSession =
  (sessions: Sessions): RequestHandler =>
  async (request, response) => {
    const { userId } = requireUser(request);
    await readBody(request);
    const found = (await sessions.list(userId)).find(({ user }) => user.sessionId === request.params.id);
    if (!found) throw new Problem('not_found');
    await sessions.end([found.key]);
    await sendAnswer(response, { status: 204 });
  };

/** Ends all other sessions of the user; with `?all=true` this one too. */
export const endOtherSessions =
  (sessions: Sessions): RequestHandler =>
  async (request, response) => {
    const { userId, sessionId } = requireUser(request);
    await readBody(request);
    const all = new URL(request.originalUrl, 'http://relay.invalid').searchParams.get('all') ?? 'false';
    if (all !== 'true' && all !== 'false') {
      throw new Problem('invalid_request', {
        fields: [{ path: 'all', code: 'value', message: 'Expected true or false.' }],
      });
    }
    const found = (await sessions.list(userId)).filter(
      ({ user }) => all === 'true' || user.sessionId !== sessionId,
    );
    await sessions.end(found.map(({ key }) => key));
    await sendAnswer(response, { status: 204 });
  };
