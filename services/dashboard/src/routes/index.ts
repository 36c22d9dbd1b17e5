import type { Log } from '@expert-relay/kit/log';
import type { ServiceClient } from '@expert-relay/kit/service-client';
import type { Express, RequestHandler } from 'express';
import type passport from 'passport';
import type { Config } from '../config.ts';
import { createReturnTo } from '../cookies/return-to.ts';
import { type CookieSettings, createSealedCookie } from '../cookies/sealed-cookie.ts';
import { createFindUser } from '../session/find-user.ts';
import type { Sessions } from '../session/sessions.ts';
import type { IsAllowed } from '../sign-in/allowed-users.ts';
import { createCompleteSignIn } from '../sign-in/complete-sign-in.ts';
import { createJoinIdentity } from '../sign-in/join-identity.ts';
import type { OAuthFlow } from '../sign-in/oauth-flow.ts';
import { type OAuthStep, OAuthStrategy, strategyName } from '../sign-in/oauth-strategy.ts';
import type { WebApp } from '../web/read-web-app.ts';
import { endOtherSessions, endSession } from './end-session.ts';
import { finishSignIn, showFailure } from './finish-sign-in.ts';
import { getMe } from './get-me.ts';
import { leaveSignIn, requireSession } from './guard-pages.ts';
import { joinAccount } from './join-account.ts';
import { listIdentities } from './list-identities.ts';
import { listSessions } from './list-sessions.ts';
import { proxyToService } from './proxy-to-service.ts';
import { removeIdentity } from './remove-identity.ts';
import { sessionActions } from './session-actions.ts';
import { showApp } from './show-app.ts';
import { showLogin } from './show-login.ts';
import { showSignInError } from './show-sign-in-error.ts';
import { showSignInLink } from './show-sign-in-link.ts';
import { signInByLink } from './sign-in-by-link.ts';
import { signInDev } from './sign-in-dev.ts';
import { signOut } from './sign-out.ts';

/** How long the page of a refused sign-in can name the account. */
const refusedAccountMs = 60_000;

export interface RouteContext {
  readonly services: { readonly requests: ServiceClient; readonly messages: ServiceClient };
  readonly sessions: Sessions;
  readonly authenticator: passport.Authenticator;
  readonly flows: readonly OAuthFlow[];
  readonly isAllowed: IsAllowed;
  readonly cookies: CookieSettings;
  readonly webApp: WebApp;
  readonly config: Pick<Config, 'devLogin' | 'supportContact' | 'hubPublicUrl'>;
  readonly log: Log;
}

export function mountRoutes(app: Express, context: RouteContext): void {
  const { services, sessions, authenticator, flows, isAllowed, cookies, webApp, config, log } = context;
  const { requests } = services;
  const { devLogin, supportContact } = config;
  const returnTo = createReturnTo(cookies);
  const refusedAccount = createSealedCookie<string>({
    ...cookies,
    name: 'relay_refused',
    maxAgeMs: refusedAccountMs,
  });
  const findUser = createFindUser(requests);
  const completeSignIn = createCompleteSignIn({ findUser, sessions, isAllowed, returnTo });

  app.get('/api/sessions', listSessions(sessions));
  app.delete('/api/sessions', endOtherSessions(sessions));
  app.delete('/api/sessions/:id', endSession(sessions));
  const ways = [...flows.map(({ provider }) => provider.name), ...(devLogin ? ['dev'] : [])];
  app.get('/api/identities', listIdentities({ requests, flows }));
  app.post('/api/identities/:provider', joinAccount(flows));
  app.delete('/api/identities/:provider', removeIdentity({ requests, sessions, ways }));

  app.get('/api/me', getMe({ requests, hubUrl: config.hubPublicUrl }));
  for (const action of sessionActions) {
    app[action.method](action.path, proxyToService(action, services[action.service]));
  }

  app.get('/', (_request, response) => response.redirect('/dashboard'));
  app.use('/dashboard', requireSession(returnTo));
  app.get(['/dashboard{/*page}', '/dashboard/'], showApp({ page: webApp.page, hubUrl: config.hubPublicUrl }));

  app.use('/auth', (_request, response, next) => {
    // Where a redirect leads depends on the session and on codes that work once.
    response.set('cache-control', 'no-store');
    next();
  });
  if (devLogin) app.post('/auth/dev', signInDev(completeSignIn));
  const joinIdentity = createJoinIdentity(requests);
  const finish = finishSignIn({ completeSignIn, sessions, joinIdentity, isAllowed });
  for (const flow of flows) app.get(`/auth/${flow.provider.name}/callback`, visit(flow, 'finish'), finish);
  app.use('/auth', leaveSignIn);
  for (const flow of flows) app.get(`/auth/${flow.provider.name}`, visit(flow, 'begin'));
  app.get('/auth/login', showLogin({ providers: flows.map(({ provider }) => provider), devLogin }));
  app.get('/auth/error', showSignInError({ refusedAccount, supportContact }));
  app.get('/auth/link', showSignInLink());
  app.post('/auth/link', signInByLink({ requests, completeSignIn }));
  app.use('/auth', showFailure({ refusedAccount, supportContact, log }));
  app.post('/logout', signOut(sessions));

  function visit(flow: OAuthFlow, step: OAuthStep): RequestHandler {
    authenticator.use(new OAuthStrategy(flow, step));
    return authenticator.authenticate(strategyName(flow, step), {
      session: false,
      assignProperty: 'visit',
    }) as RequestHandler;
  }
}
