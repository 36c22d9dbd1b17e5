import type { RequestHandler } from 'express';
import type { Sessions } from '../session/sessions.ts';

/** Ends the session and, within seconds, the streams that rest on it. */
export const signOut =
  (sessions: Sessions): RequestHandler =>
  async (request, response) => {
    if (request.user) await sessions.endOwn(request);
    response.redirect(303, '/auth/login');
  };
