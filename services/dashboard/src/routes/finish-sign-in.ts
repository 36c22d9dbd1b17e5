import type { Log } from '@expert-relay/kit/log';
import type { ErrorRequestHandler, RequestHandler } from 'express';
import type { SignedCookie } from '../cookies/signed-cookie.ts';
import { failurePage } from '../pages/failure-page.ts';
import { sendPage } from '../pages/page.ts';
import type { Sessions } from '../session/sessions.ts';
import type { IsAllowed } from '../sign-in/allowed-users.ts';
import { type FailureReason, failures, SignInFailure } from '../sign-in/failure.ts';
import type { Users } from '../users.ts';
import { type CompleteSignIn, requireAllowed } from './complete-sign-in.ts';

/** Handles the redirect back from a provider. Passport runs before it and sets `request.finishedSignIn`. */
export const finishSignIn =
  (options: {
    completeSignIn: CompleteSignIn;
    sessions: Sessions;
    users: Users;
    isAllowed: IsAllowed;
  }): RequestHandler =>
  async (request, response) => {
    const { completeSignIn, sessions, users, isAllowed } = options;
    const { finishedSignIn } = request;
    if (!finishedSignIn) throw new Error('Passport must run before this route.');
    const { identity, joins } = finishedSignIn;
    if (joins === undefined) {
      requireAllowed(identity, isAllowed);
      const { userId } = await users.findOrCreate(identity, response.locals.callId);
      const current = await sessions.readAgain(request);
      // The browser keeps the expert key of its user, and another tab may show this user's requests.
      if (current && current.userId !== userId) throw new SignInFailure('other_user', { identity });
      await completeSignIn(request, response, identity, { knownUserId: userId });
      return;
    }
    // The session that began this may have ended since.
    const user = await sessions.readAgain(request);
    if (user?.sessionId !== joins) throw new SignInFailure('expired');
    requireAllowed(identity, isAllowed);
    const result = await users.addIdentity(user, identity, response.locals.callId);
    if (result !== 'joined') throw new SignInFailure(`identity_${result}`, { identity });
    response.redirect(303, '/dashboard/settings');
  };

/** The account that was refused, for the page that explains it. */
export type RefusedAccount = SignedCookie<{ readonly account: string; readonly provider: string }>;

/**
 * Redirects to the page that says why a sign-in did not succeed, since the address of a callback must not be loaded
 * again. Users who are signed in cannot open that page: they see the reason here, for example when adding an account.
 */
export const showFailure =
  (options: {
    refusedAccount: RefusedAccount;
    supportContact: string | undefined;
    log: Log;
  }): ErrorRequestHandler =>
  (error, request, response, next) => {
    if (!(error instanceof SignInFailure) || response.headersSent) {
      next(error);
      return;
    }
    const { reason, account, provider, cause } = error;
    const { refusedAccount, supportContact, log } = options;
    if (reason === 'provider_failed') log.warn(describeCause(cause), 'a sign-in provider failed');
    if (request.user) {
      sendPage(response, failurePage(reason, { account, supportContact, isSignedIn: true }));
      return;
    }
    if (account !== undefined && provider !== undefined) refusedAccount.set(response, { account, provider });
    response.redirect(303, `/auth/error?reason=${reason}`);
  };

/** The error itself must not be logged: it contains codes and tokens. Of its answer, the error of OAuth says what to repair. */
function describeCause(cause: unknown): Record<string, unknown> {
  const { name, code, message, status, error, cause: inner } = cause as Error & Record<string, unknown>;
  return {
    error: name,
    code,
    reason: message,
    status,
    answer: typeof error === 'string' && /^\w{1,64}$/.test(error) ? error : undefined,
    inner: inner instanceof Error ? inner.message : undefined,
  };
}

/** Shows why the last sign-in did not succeed. */
export const showSignInError =
  (options: { refusedAccount: RefusedAccount; supportContact: string | undefined }): RequestHandler =>
  (request, response) => {
    const { refusedAccount, supportContact } = options;
    const reason = new URL(request.originalUrl, 'http://relay.invalid').searchParams.get('reason') ?? '';
    const refused = refusedAccount.read(request);
    if (refused) refusedAccount.clear(response);
    sendPage(response, failurePage(isReason(reason) ? reason : 'expired', { ...refused, supportContact }));
  };

const isReason = (reason: string): reason is FailureReason => Object.hasOwn(failures, reason);
