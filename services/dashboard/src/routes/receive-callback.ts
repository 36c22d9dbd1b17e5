import type { RequestHandler } from 'express';
import type { Sessions } from '../session/sessions.ts';
import { requireAllowed, type SignIn } from '../session/sign-in.ts';
import type { IsAllowed } from '../sign-in/allowed-users.ts';
import { SignInFailure } from '../sign-in/failure.ts';
import type { OAuthFlow } from '../sign-in/oauth-flow.ts';
import type { Users } from '../users.ts';

/** Handles the redirect back from a provider. */
export const receiveCallback =
  (options: {
    flow: OAuthFlow;
    signIn: SignIn;
    sessions: Sessions;
    users: Users;
    isAllowed: IsAllowed;
  }): RequestHandler =>
  async (request, response) => {
    const { flow, signIn, sessions, users, isAllowed } = options;
    const { identity, idToken, addToSessionId } = await flow.finish(request, response);
    if (addToSessionId === undefined) {
      return signIn(request, response, identity, { idToken, keepsUser: true });
    }
    // The session that began this may have ended since.
    const user = await sessions.readAgain(request, response.locals.callId);
    if (user?.sessionId !== addToSessionId) throw new SignInFailure('expired');
    requireAllowed(identity, isAllowed);
    const result = await users.joinIdentity(sessions.principalOf(user), identity, response.locals.callId);
    if (result !== 'joined') throw new SignInFailure(`identity_${result}`, { identity });
    response.redirect(303, '/dashboard/settings');
  };
