import type { RequestHandler } from 'express';
import { failurePage } from '../pages/failure-page.ts';
import { sendPage } from '../pages/page.ts';
import { type FailureReason, failures } from '../sign-in/failure.ts';
import type { RefusedAccount } from './finish-sign-in.ts';

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
