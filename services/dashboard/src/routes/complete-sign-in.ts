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
  /** The user of the identity, when it is already known. */
  knownUserId?: string,
) => Promise<void>;

/** Signs an identity in, if it is allowed, and redirects to the page that the person wanted to see. */
export function createCompleteSignIn(options: {
  users: Users;
  sessions: Sessions;
  isAllowed: IsAllowed;
  returnTo: ReturnTo;
}): CompleteSignIn {
  const { users, sessions, isAllowed, returnTo } = options;

  return async (request, response, identity, knownUserId) => {
    requireAllowed(identity, isAllowed);
    const userId = knownUserId ?? (await users.findOrCreate(identity, response.locals.callId)).userId;
    // A user who is signed in signs in again for the settings, which ask for a recent sign-in.
    const isAgain = request.user?.userId === userId;
    await sessions.begin(request, userId, identity);
    response.redirect(303, isAgain ? '/dashboard/settings' : returnTo.take(request, response));
  };
}

export function requireAllowed(identity: Identity, isAllowed: IsAllowed): void {
  if (isAllowed(identity)) return;
  const reason = identity.verifiedEmails.length === 0 ? 'unverified' : 'not_allowed';
  throw new SignInFailure(reason, { identity });
}
