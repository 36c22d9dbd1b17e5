import { html, sendPage } from '@expert-relay/kit/pages';
import type { RequestHandler } from 'express';
import type { SignedCookie } from '../cookies/signed-cookie.ts';
import type { Sessions } from '../session/sessions.ts';
import type { OAuthFlow } from '../sign-in/oauth-flow.ts';

/** The address that ends the session at the provider, until the browser opens the sign-in page. */
export type ProviderSignOut = SignedCookie<{ readonly title: string; readonly url: string }>;

interface SignOutContext {
  readonly sessions: Sessions;
  readonly flows: readonly OAuthFlow[];
  readonly providerSignOut: ProviderSignOut;
  readonly publicUrl: string;
}

/** Ends the session of this call and, within seconds, its streams. The sign-in page then leads to the provider. */
export const signOut =
  ({ sessions, flows, providerSignOut, publicUrl }: SignOutContext): RequestHandler =>
  async (request, response) => {
    const { user } = request;
    if (user) {
      await sessions.signOutOwn(request);
      const provider = flows.find((flow) => flow.provider.name === user.identity.provider)?.provider;
      const returnTo = new URL('/auth/login', publicUrl).href;
      // The session here has ended, whether or not the provider responds.
      const url = await provider?.endSessionUrl?.(returnTo, user.idToken).catch(() => undefined);
      if (provider && url) providerSignOut.set(response, { title: provider.title, url: url.href });
    }
    response.redirect(303, '/auth/login');
  };

/**
 * After a sign-out, the sign-in page leads to the provider once. It is a page that the browser leaves, since a redirect of a form
 * to another site is refused by our own policy.
 */
export const leadToProvider =
  (providerSignOut: ProviderSignOut): RequestHandler =>
  (request, response, next) => {
    const ended = providerSignOut.read(request);
    if (!ended) return next();
    const { title, url } = ended;
    providerSignOut.clear(response);
    response.set('refresh', `0; url=${url}`);
    const body = html`<p>You are signed out of Expert Relay.</p>
      <div class="actions"><a class="button main" href="${url}">Sign out of ${title}, too</a></div>`;
    sendPage(response, { title: 'Signed out', body });
  };
