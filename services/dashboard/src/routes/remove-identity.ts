import { readBody } from '@expert-relay/kit/http';
import type { ServiceClient } from '@expert-relay/kit/service-client';
import type { RequestHandler } from 'express';
import type { Sessions } from '../session/sessions.ts';
import { requireUser, sendOn } from './proxy-to-service.ts';

/** Removes an account from the user, and ends all sessions that were begun with it, which may include this one. */
export const removeIdentity =
  (options: { requests: ServiceClient; sessions: Sessions; ways: readonly string[] }): RequestHandler =>
  async (request, response) => {
    const { requests, sessions, ways } = options;
    const { userId, sessionId } = requireUser(request);
    await readBody(request);
    const provider = String(request.params.provider);
    const answer = await requests.call({
      method: 'DELETE',
      path: `/internal/identities/${encodeURIComponent(provider)}?usable=${ways.join()}`,
      route: '/internal/identities/:provider',
      principal: { kind: 'session', userId, sessionId },
      callId: response.locals.callId,
    });
    if (answer.statusCode === 204) {
      const found = (await sessions.list(userId)).filter(({ user }) => user.identity.provider === provider);
      await sessions.end(found.map(({ key }) => key));
    }
    await sendOn(answer, response);
  };
