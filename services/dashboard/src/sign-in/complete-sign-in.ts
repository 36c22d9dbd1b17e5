import type { Request, Response } from 'express';
import type { ReturnTo } from '../cookies/return-to.ts';
import type { FindUser } from '../session/find-user.ts';
import type { Sessions } from '../session/sessions.ts';
import type { IsAllowed } from './allowed-users.ts';
import { SignInFailure } from './failure.ts';
import type { Identity } from './identity.ts';

export type CompleteSignIn = (
  request: Request,
  response: Response,
  identity: Identity,
  /** Of an identity whose user is known. */
  knownUserId?: string,
) => Promise<void>;

/** Signs an identity in, if it may, and leads the browser to where the person wanted to go. */
export function createCompleteSignIn(options: {
  findUser: FindUser;
  sessions: Sessions;
  isAllowed: IsAllowed;
  returnTo: ReturnTo;
}): CompleteSignIn {
  const { findUser, sessions, isAllowed, returnTo } = options;

  return async (request, response, identity, knownUserId) => {
    requireAllowed(identity, isAllowed);
    const userId = knownUserId ?? (await findUser(identity, response.locals.callId)).userId;
    await sessions.begin(request, userId, identity);
    response.redirect(303, returnTo.take(request, response));
  };
}

export function requireAllowed(identity: Identity, isAllowed: IsAllowed): void {
  if (isAllowed(identity)) return;
  const reason = identity.verifiedEmails.length === 0 ? 'unverified' : 'not_allowed';
  throw new SignInFailure(reason, { account: identity.label });
}
