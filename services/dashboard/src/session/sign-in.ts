import type { Request, Response } from 'express';
import type { ReturnTo } from '../cookies/return-to.ts';
import type { IsAllowed } from '../sign-in/allowed-users.ts';
import { SignInFailure } from '../sign-in/failure.ts';
import type { Identity } from '../sign-in/identity.ts';
import type { Users } from '../users.ts';
import type { Sessions } from './sessions.ts';

export type SignIn = (
  request: Request,
  response: Response,
  identity: Identity,
  options?: {
    /** The user of the identity, when it is already known. */
    readonly knownUserId?: string;
    readonly idToken?: string | undefined;
    /** Refuses to replace the session of another user. */
    readonly keepsUser?: boolean;
    /** The page to open, whichever one the person wanted to see. */
    readonly page?: string | undefined;
  },
) => Promise<void>;

/** Signs an identity in, if it is allowed, and redirects to the page that the person wanted to see. */
export function createSignIn(options: {
  users: Users;
  sessions: Sessions;
  isAllowed: IsAllowed;
  returnTo: ReturnTo;
}): SignIn {
  const { users, sessions, isAllowed, returnTo } = options;

  return async (request, response, identity, { knownUserId, idToken, keepsUser = false, page } = {}) => {
    requireAllowed(identity, isAllowed);
    const userId = knownUserId ?? (await users.findOrCreate(identity, response.locals.callId)).userId;
    const current = keepsUser ? await sessions.readAgain(request, response.locals.callId) : request.user;
    // The browser keeps the expert key of its user, and another tab may show this user's requests.
    if (keepsUser && current && current.userId !== userId)
      throw new SignInFailure('other_user', { identity });
    // A user who is signed in signs in again for the settings, which ask for a recent sign-in.
    const isAgain = current?.userId === userId;
    await sessions.begin(request, { userId, identity, idToken });
    response.redirect(303, page ?? (isAgain ? '/dashboard/settings' : returnTo.take(request, response)));
  };
}

export function requireAllowed(identity: Identity, isAllowed: IsAllowed): void {
  if (isAllowed(identity)) return;
  const reason = identity.verifiedEmails.length === 0 ? 'unverified' : 'not_allowed';
  throw new SignInFailure(reason, { identity });
}
