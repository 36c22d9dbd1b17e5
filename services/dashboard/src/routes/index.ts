import type { ServiceClient } from '@expert-relay/kit/service-client';
import type { Express } from 'express';
import { createEndSession } from '../session/end-session.ts';
import { createFindUser } from '../session/find-user.ts';
import { getMe } from './get-me.ts';
import { leaveSignIn, requireSession } from './guard-pages.ts';
import { proxyToService } from './proxy-to-service.ts';
import { sessionActions } from './session-actions.ts';
import { showDashboard } from './show-dashboard.ts';
import { showLogin } from './show-login.ts';
import { signInDev } from './sign-in-dev.ts';
import { signOut } from './sign-out.ts';

export interface Services {
  readonly requests: ServiceClient;
  readonly messages: ServiceClient;
}

export function mountRoutes(
  app: Express,
  { services, devLogin, hubUrl }: { services: Services; devLogin: boolean; hubUrl: string },
): void {
  app.get('/api/me', getMe({ requests: services.requests, hubUrl }));
  for (const action of sessionActions) {
    app[action.method](action.path, proxyToService(action, services[action.service]));
  }

  app.get('/', (_request, response) => response.redirect('/dashboard'));
  app.use('/dashboard', requireSession);
  app.get('/dashboard{/*page}', showDashboard());

  if (devLogin) app.post('/auth/dev', signInDev({ findUser: createFindUser(services.requests) }));
  app.use('/auth', leaveSignIn);
  app.get('/auth/login', showLogin({ devLogin }));
  app.post('/logout', signOut({ endSession: createEndSession(services.requests) }));
}
