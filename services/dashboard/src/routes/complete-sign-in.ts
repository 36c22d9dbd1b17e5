import type { Request, Response } from 'express';
import type { ReturnTo } from '../cookies/return-to.ts';
import type { Sessions } from '../session/sessions.ts';
import type { IsAllowed } from '../sign-in/allowed-users.ts';
import { SignInFailure } from '../sign-in/failure.ts';
import type { Identity } from '../sign-in/identity.ts';
import type { Users } from '../users.ts';

export type CompleteSignIn = (
  request: Request,
  response: Response,
  identity: Identity,
  options?: {
    /** The user of the identity, when it is already known. */
    readonly knownUserId?: string;
    /** The page to open, whichever one the person wanted to see. */
    readonly page?: string | undefined;
  },
) => Promise<void>;

/** Signs an identity in, if it is allowed, and redirects to the page that the person wanted to see. */
export function createCompleteSignIn(options: {
  users: Users;
  sessions: Sessions;
  isAllowed: IsAllowed;
  returnTo: ReturnTo;
}): CompleteSignIn {
  const { users, sessions, isAllowed, returnTo } = options;

  return async (request, response, identity, { knownUserId, page } = {}) => {
    requireAllowed(identity, isAllowed);
    const userId = knownUserId ?? (await users.findOrCreate(identity, response.locals.callId)).userId;
    // A user who is signed in signs in again for the settings, which ask for a recent sign-in.
    const isAgain = request.user?.userId === userId;
    await sessions.begin(request, userId, identity);
    response.redirect(303, page ?? (isAgain ? '/dashboard/settings' : returnTo.take(request, response)));
  };
}

export function requireAllowed(identity: Identity, isAllowed: IsAllowed): void {
  if (isAllowed(identity)) return;
  const reason = identity.verifiedEmails.length === 0 ? 'unverified' : 'not_allowed';
  throw new SignInFailure(reason, { identity });
}
