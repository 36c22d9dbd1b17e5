import type { RequestHandler } from 'express';
import type { EndSession } from '../session/end-session.ts';
import { signOut as destroySession } from '../session/sign-out.ts';

/** Ends the session and, within seconds, the streams that rest on it. */
export const signOut =
  ({ endSession }: { endSession: EndSession }): RequestHandler =>
  async (request, response) => {
    const user = request.user;
    if (user) {
      try {
        await endSession(user, response.locals.callId);
      } finally {
        await destroySession(request);
      }
    }
    response.redirect(303, '/auth/login');
  };
