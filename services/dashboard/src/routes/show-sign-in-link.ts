import type { RequestHandler } from 'express';
import { html, sendPage } from '../pages/page.ts';
import { SignInFailure } from '../sign-in/failure.ts';

/** As the admin command makes them. */
const tokenPattern = /^[\w-]{43}$/;

/** Opening a link uses nothing up: mail and chat programs open links to show what is behind them. */
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
