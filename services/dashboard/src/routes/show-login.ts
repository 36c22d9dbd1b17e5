import { html, sendPage } from '@expert-relay/kit/pages';
import type { RequestHandler } from 'express';
import type { Provider } from '../sign-in/provider.ts';

/** The sign-in page, to which visitors without a session are redirected. */
export function showLogin(options: { providers: readonly Provider[]; devLogin: boolean }): RequestHandler {
  const { providers, devLogin } = options;
  const buttons = providers.map(
    ({ name, title }) => html`<a class="button main" href="/auth/${name}">Continue with ${title}</a>`,
  );
  const dev = devLogin
    ? [
        html`<form method="post" action="/auth/dev"><input type="hidden" name="user" value="dev">
          <input type="hidden" name="from" value="page">
          <button class="button">Sign in as dev</button></form>
          <p class="quiet">For this machine only: anybody who opens this page can sign in as dev.</p>`,
      ]
    : [];
  const body =
    buttons.length > 0 || devLogin
      ? html`<p>Answer the questions of your AI agents.</p><div class="actions">${buttons}${dev}</div>`
      : howToConfigure;
  return (_request, response) => sendPage(response, { title: 'Sign in', body });
}

const howToConfigure = html`<p>Sign-in is not set up yet: no sign-in provider is configured.</p>
  <p>If you run this relay, set these variables of the dashboard service and start it again:</p>
  <ul>
    <li>for GitHub: <code>RELAY_GITHUB_CLIENT_ID</code> and <code>RELAY_GITHUB_CLIENT_SECRET</code></li>
    <li>for Google: <code>RELAY_GOOGLE_CLIENT_ID</code> and <code>RELAY_GOOGLE_CLIENT_SECRET</code></li>
    <li>for another OpenID provider: <code>RELAY_OIDC_ISSUER</code>, <code>RELAY_OIDC_CLIENT_ID</code> and
      <code>RELAY_OIDC_CLIENT_SECRET</code></li>
    <li>for each: <code>RELAY_ALLOWED_USERS</code>, who may sign in</li>
  </ul>
  <p class="quiet">Without a provider, the command <code>admin sign-in-link</code> lets one person in.</p>`;
