import type { Log } from '@expert-relay/kit/log';
import { sendPage } from '@expert-relay/kit/pages';
import type { ErrorRequestHandler, RequestHandler } from 'express';
import type { SignedCookie } from '../cookies/signed-cookie.ts';
import { type FailureReason, failures, SignInFailure } from '../sign-in/failure.ts';
import { failurePage } from '../sign-in/failure-page.ts';

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

/** The error itself must not be logged: it contains codes and tokens. Of its response, the error of OAuth says what to repair. */
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
