import { readBody } from '@expert-relay/kit/http';
import type { RequestHandler } from 'express';
import { html, sendPage } from '../pages/page.ts';
import { SignInFailure } from '../sign-in/failure.ts';
import type { Users } from '../users.ts';
import type { CompleteSignIn } from './complete-sign-in.ts';

/** The form of a token that the admin command makes. */
const tokenPattern = /^[\w-]{43}$/;

/** Opening the link does not use it yet, since mail and chat programs open links to show a preview. */
export const showSignInLink = (): RequestHandler => (request, response) => {
  const token = new URL(request.originalUrl, 'http://relay.invalid').searchParams.get('token') ?? '';
  if (!tokenPattern.test(token)) throw new SignInFailure('link_unusable');
  sendPage(response, {
    title: 'Sign in',
    body: html`<p>This link signs you in once, on this device.</p>
      <form class="actions" method="post" action="/auth/link"><input type="hidden" name="token" value="${token}">
        <button class="button main">Sign in</button></form>`,
  });
};

/** Signs in with a link that the admin command has printed. It works once. */
export const signInByLink =
  (options: { users: Users; completeSignIn: CompleteSignIn }): RequestHandler =>
  async (request, response) => {
    const form = new URLSearchParams((await readBody(request, 4096)).toString('utf8'));
    const token = form.get('token');
    if (!token || token.length > 100) throw new SignInFailure('link_unusable');
    const link = await options.users.useLink(token, response.locals.callId);
    if (!link) throw new SignInFailure('link_unusable');
    const { linkId, userId, name } = link;
    const identity = {
      provider: 'link',
      subject: linkId,
      name,
      label: 'Sign-in link',
      verifiedEmails: [],
    } as const;
    await options.completeSignIn(request, response, identity, userId);
  };
