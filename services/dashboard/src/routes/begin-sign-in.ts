import type { RequestHandler } from 'express';
import type { OAuthFlow } from '../sign-in/oauth-flow.ts';

/** Redirects to the provider; with `?account=other`, so that the person can choose another account there. */
export const beginSignIn =
  (flow: OAuthFlow): RequestHandler =>
  async (request, response) => {
    const { searchParams } = new URL(request.originalUrl, 'http://relay.invalid');
    const location = await flow.begin(response, { otherAccount: searchParams.get('account') === 'other' });
    response.redirect(location.href);
  };
