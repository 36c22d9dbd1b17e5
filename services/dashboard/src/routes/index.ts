import { mountRoutes } from '@expert-relay/kit/http';
import type { Log } from '@expert-relay/kit/log';
import type { VerifiedCall } from '@expert-relay/kit/principal';
import { Problem } from '@expert-relay/kit/problem';
import type { ServiceClient } from '@expert-relay/kit/service-client';
import type { Express, Request, Response } from 'express';
import type { Config } from '../config.ts';
import { createReturnTo, type ReturnTo } from '../cookies/return-to.ts';
import { type CookieSettings, createSignedCookie } from '../cookies/signed-cookie.ts';
import { leaveSignIn, requireSession } from '../guards.ts';
import type { Sessions } from '../session/sessions.ts';
import { createSignIn } from '../session/sign-in.ts';
import type { IsAllowed } from '../sign-in/allowed-users.ts';
import { providerNames } from '../sign-in/identity.ts';
import type { OAuthFlow } from '../sign-in/oauth-flow.ts';
import type { Users } from '../users.ts';
import type { WebApp } from '../web/read-web-app.ts';
import { beginSignIn } from './begin-sign-in.ts';
import { getMe } from './get-me.ts';
import { manageIdentities } from './manage-identities.ts';
import { manageSessions } from './manage-sessions.ts';
import { openByCode } from './open-by-code.ts';
import { proxyToService, type Services } from './proxy-to-service.ts';
import { receiveCallback } from './receive-callback.ts';
import { showApp } from './show-app.ts';
import { showLogin } from './show-login.ts';
import { showFailure, showSignInError } from './show-sign-in-error.ts';
import { showSignInLink, signInByLink } from './sign-in-by-link.ts';
import { signInDev } from './sign-in-dev.ts';
import { leadToProvider, signOut } from './sign-out.ts';
import { showStopEmails, stopEmails } from './stop-emails.ts';

/** How long the browser keeps the name of a refused account for the page that shows it. */
const refusedAccountMs = 60_000;
const providerSignOutMs = 60_000;

export interface RouteContext {
  readonly services: Services;
  readonly users: Users;
  readonly sessions: Sessions;
  readonly flows: readonly OAuthFlow[];
  readonly isAllowed: IsAllowed;
  readonly cookies: CookieSettings;
  readonly webApp: WebApp;
  readonly config: Pick<Config, 'devLogin' | 'supportContact' | 'hubPublicUrl' | 'publicUrl'>;
  readonly log: Log;
}

/** The pages that need no session, and no Redis. */
export function mountStopEmails(app: Express, notifier: ServiceClient): void {
  app.get('/unsubscribe', showStopEmails);
  app.post('/unsubscribe', stopEmails(notifier));
}

export function mountAll(app: Express, context: RouteContext): void {
  mountSessionApi(app, context);
  mountPages(app, context);
}

/** The JSON routes, which the web app calls. */
function mountSessionApi(app: Express, { services, sessions, flows, cookies, config }: RouteContext): void {
  const { requests } = services;
  const { devLogin, hubPublicUrl: hubUrl } = config;
  mountRoutes(app, {
    identify: identifySession(sessions),
    routes: [
      ...manageSessions(sessions),
      ...manageIdentities({ requests, sessions, flows, devLogin, clock: cookies.clock }),
      getMe({ requests, hubUrl }),
      ...proxyToService(services),
    ],
  });
}

const identifySession =
  (sessions: Sessions) =>
  ({ user }: Request, response: Response): VerifiedCall => {
    if (!user) throw new Problem('unauthorized', { detail: 'Sign in first: /auth/login.' });
    return { principal: sessions.principalOf(user), callId: response.locals.callId };
  };

/** The pages, and the forms in them. */
function mountPages(app: Express, context: RouteContext): void {
  const { services, sessions, cookies, webApp, config } = context;
  const returnTo = createReturnTo(cookies);
  app.get('/', (_request, response) => response.set('cache-control', 'no-store').redirect('/dashboard'));
  app.use('/dashboard', requireSession(returnTo));
  app.get('/dashboard/code/:refCode', openByCode(services.requests, sessions));
  app.get(['/dashboard{/*page}', '/dashboard/'], showApp({ page: webApp.page, hubUrl: config.hubPublicUrl }));
  mountSignIn(app, context, returnTo);
}

/** The pages of the sign-in, and the sign-out. Their order counts. */
function mountSignIn(app: Express, context: RouteContext, returnTo: ReturnTo): void {
  const { users, sessions, flows, isAllowed, cookies, config, log } = context;
  const { devLogin, supportContact, publicUrl } = config;
  const refusedAccount = createSignedCookie<{ account: string; provider: string }>({
    ...cookies,
    name: 'relay_refusal',
    maxAgeMs: refusedAccountMs,
  });
  const providerSignOut = createSignedCookie<{ title: string; url: string }>({
    ...cookies,
    name: 'relay_sign_out',
    maxAgeMs: providerSignOutMs,
  });
  const signIn = createSignIn({ users, sessions, isAllowed, returnTo });

  // Redirects depend on the session and on codes that work once.
  app.use('/auth', (_request, response, next) => {
    response.set('cache-control', 'no-store');
    next();
  });

  // Also for users who are signed in: they add an account, or sign in again.
  if (devLogin) app.post('/auth/dev', signInDev(signIn));
  for (const flow of flows) {
    const receive = receiveCallback({ flow, signIn, sessions, users, isAllowed });
    app.get(`/auth/${flow.provider.name}/callback`, receive);
  }
  // The callback of a provider is not redirected, even if it is not configured.
  app.get(
    providerNames.map((name) => `/auth/${name}/callback`),
    () => {
      throw new Problem('not_found');
    },
  );

  // Only for visitors who are not signed in: the others are led to the dashboard.
  app.use('/auth', leaveSignIn);
  for (const flow of flows) app.get(`/auth/${flow.provider.name}`, beginSignIn(flow));
  app.get(
    '/auth/login',
    leadToProvider(providerSignOut),
    showLogin({ providers: flows.map(({ provider }) => provider), devLogin }),
  );
  app.get('/auth/error', showSignInError({ refusedAccount, supportContact }));
  app.get('/auth/link', showSignInLink({ users }));
  app.post('/auth/link', signInByLink({ users, signIn }));

  // Behind all that can fail.
  app.use('/auth', showFailure({ refusedAccount, supportContact, log }));

  app.post('/logout', signOut({ sessions, flows, providerSignOut, publicUrl }));
}
