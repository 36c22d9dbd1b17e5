import type { Log } from '@expert-relay/kit/log';
import type { ErrorRequestHandler, RequestHandler } from 'express';
import type { SealedCookie } from '../cookies/sealed-cookie.ts';
import { failurePage } from '../pages/failure-page.ts';
import { sendPage } from '../pages/page.ts';
import type { Sessions } from '../session/sessions.ts';
import type { IsAllowed } from '../sign-in/allowed-users.ts';
import { type FailureReason, failures, SignInFailure } from '../sign-in/failure.ts';
import type { Users } from '../users.ts';
import { type CompleteSignIn, requireAllowed } from './complete-sign-in.ts';

/** The browser was redirected back from a provider. Mounted behind passport, which sets `request.visit`. */
export const finishSignIn =
  (options: {
    completeSignIn: CompleteSignIn;
    sessions: Sessions;
    users: Users;
    isAllowed: IsAllowed;
  }): RequestHandler =>
  async (request, response) => {
    const { completeSignIn, sessions, users, isAllowed } = options;
    const { visit } = request;
    if (!visit) throw new Error('Passport goes on with a visit only.');
    const { identity, joins } = visit;
    if (joins === undefined) {
      await completeSignIn(request, response, identity);
      return;
    }
    // The session that asked for it may have ended: before this call, or while it waited for the provider.
    const user = await sessions.readAgain(request);
    if (user?.sessionId !== joins) throw new SignInFailure('expired');
    requireAllowed(identity, isAllowed);
    const result = await users.join(user, identity, response.locals.callId);
    if (result !== 'joined') throw new SignInFailure(`identity_${result}`, { account: identity.label });
    response.redirect(303, '/dashboard/settings');
  };

/** The account that was refused, for the page that explains it. */
export type RefusedAccount = SealedCookie<string>;

/**
 * Leads to the page that says why a sign-in did not succeed: the address of a callback must not be loaded again. That
 * page is not for signed-in users, who may have tried to join an account: they see the reason here.
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
    const { reason, account, cause } = error;
    const { refusedAccount, supportContact, log } = options;
    if (reason === 'provider_failed') log.warn(describeCause(cause), 'a sign-in provider failed');
    if (request.user) {
      sendPage(response, failurePage(reason, { account, supportContact, isSignedIn: true }));
      return;
    }
    if (account !== undefined) refusedAccount.set(response, account);
    response.redirect(303, `/auth/error?reason=${reason}`);
  };

/** Never the error itself: it holds codes and tokens. */
function describeCause(cause: unknown): Record<string, unknown> {
  const { name, code, message, cause: inner } = cause as Error & { code?: string };
  return { error: name, code, reason: message, inner: inner instanceof Error ? inner.message : undefined };
}

/** Why the last sign-in did not succeed. */
export const showSignInError =
  (options: { refusedAccount: RefusedAccount; supportContact: string | undefined }): RequestHandler =>
  (request, response) => {
    const { refusedAccount, supportContact } = options;
    const reason = new URL(request.originalUrl, 'http://relay.invalid').searchParams.get('reason') ?? '';
    const account = refusedAccount.read(request);
    if (account !== undefined) refusedAccount.clear(response);
    sendPage(response, failurePage(isReason(reason) ? reason : 'expired', { account, supportContact }));
  };

const isReason = (reason: string): reason is FailureReason => Object.hasOwn(failures, reason);
