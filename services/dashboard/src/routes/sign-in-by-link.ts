import { readBody } from '@expert-relay/kit/http';
import { html, type Page, sendPage } from '@expert-relay/kit/pages';
import type { RequestHandler } from 'express';
import type { SignIn } from '../session/sign-in.ts';
import { SignInFailure } from '../sign-in/failure.ts';
import type { LinkUser, Users } from '../users.ts';

/** The form of a token that the admin command makes. */
const tokenPattern = /^[\w-]{43}$/;

/** The token of a query or form. Any other text is refused here, since the requests service would refuse some of them. */
function tokenIn(parameters: URLSearchParams): string {
  const token = parameters.get('token') ?? '';
  if (!tokenPattern.test(token)) throw new SignInFailure('link_unusable');
  return token;
}

/** Opening the link does not use it yet, since email and chat programs open links to show a preview. */
export const showSignInLink =
  ({ users }: { users: Users }): RequestHandler =>
  async (request, response) => {
    const token = tokenIn(new URL(request.originalUrl, 'http://relay.invalid').searchParams);
    const link = await users.findLink(token, response.locals.callId);
    if (!link) throw new SignInFailure('link_unusable');
    sendPage(response, linkPage(link, token));
  };

/** A person who opens the link of somebody else would write into that user's account, so the page names the user. */
function linkPage({ name, email }: LinkUser, token: string): Page {
  const title = `Sign in as ${name}`;
  return {
    title,
    body: html`<p>This link signs you in as <strong>${name}</strong>${email ? ` (${email})` : ''} once, on this device. Go on only if you know who has sent it.</p>
      <form class="actions" method="post" action="/auth/link"><input type="hidden" name="token" value="${token}">
        <button class="button main">${title}</button></form>`,
  };
}

/** Signs in with a link that the admin command has printed. It works once. */
export const signInByLink =
  (options: { users: Users; signIn: SignIn }): RequestHandler =>
  async (request, response) => {
    const form = new URLSearchParams((await readBody(request, 4096)).toString('utf8'));
    const token = tokenIn(form);
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
    await options.signIn(request, response, identity, { knownUserId: userId });
  };
