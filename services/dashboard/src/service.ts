import { fileURLToPath } from 'node:url';
import { systemClock } from '@expert-relay/kit/clock';
import type { KeysWithIds } from '@expert-relay/kit/config';
import { bareApp, createHttpServer, handleErrors, observeCalls } from '@expert-relay/kit/http';
import { composeService, type Overrides, type Service } from '@expert-relay/kit/lifecycle';
import { createLog } from '@expert-relay/kit/log';
import { createMetrics } from '@expert-relay/kit/metrics';
import { sendError } from '@expert-relay/kit/pages';
import { createPrincipalGuard, createPrincipalVerifier } from '@expert-relay/kit/principal';
import { Problem } from '@expert-relay/kit/problem';
import { createRedis } from '@expert-relay/kit/redis';
import { createServiceClient } from '@expert-relay/kit/service-client';
import { createTracing } from '@expert-relay/kit/tracing';
import passport from 'passport';
import type { Config } from './config.ts';
import { requireGatewayPrincipal, requireOwnHost, requireSameOrigin } from './guards.ts';
import { mountAll, mountStopEmails } from './routes/index.ts';
import { sendWebFile } from './routes/send-web-file.ts';
import { sessionMiddleware } from './session/session-middleware.ts';
import { SessionStore } from './session/session-store.ts';
import { createSessionSweeper } from './session/session-sweeper.ts';
import { createSessions } from './session/sessions.ts';
import { createAllowedUsers } from './sign-in/allowed-users.ts';
import { createGithub } from './sign-in/github.ts';
import { createOAuthFlow } from './sign-in/oauth-flow.ts';
import { createGoogle, createOidc } from './sign-in/openid.ts';
import { createUsers } from './users.ts';
import { readWebApp } from './web/read-web-app.ts';

/** The folder of the built web app, relative to src/ and to dist/. */
const builtWebApp = fileURLToPath(new URL('../web/dist/', import.meta.url));

export function create(config: Config, overrides: Overrides = {}): Service {
  const { clock = systemClock, log = createLog('dashboard', { level: config.process.logLevel }) } = overrides;
  const { publicUrl, devLogin, allowedUsers } = config;
  const { secrets, idleTimeout, lifetime } = config.session;
  const webApp = readWebApp(config.webFolder ?? builtWebApp);
  const metrics = createMetrics('dashboard', { forProcess: overrides.log === undefined });
  const tracing = createTracing('dashboard', { settings: config.tracing, log });
  const redis = createRedis({
    url: config.redis.url,
    name: 'dashboard',
    whileAway: 'fail',
    isRequired: true,
    key: `${config.redis.prefix}:session`,
    log,
  });
  const { upstreams, principalKeys } = config;
  const requests = clientOf('requests', upstreams.requests, principalKeys.requests);
  const messages = clientOf('messages', upstreams.messages, principalKeys.messages);
  const notifier = clientOf('notifier', upstreams.notifier, principalKeys.notifier);
  const users = createUsers(requests);

  const allowed = createAllowedUsers({
    allowedUsers,
    file: config.allowedUsersFile,
    devLogin,
    log,
    onChange: () => sweeper.signOutDisallowedSoon(),
  });
  const { isAllowed } = allowed;
  const store = new SessionStore({ redis, prefix: config.redis.prefix, idleTimeout, lifetime, clock });
  const sweeper = createSessionSweeper({
    store,
    reportEnd: users.reportSessionEnd,
    isAllowed,
    isConnected: () => redis.connected,
    clock,
    log,
  });
  const sessions = createSessions({ store, sweeper, users, clock });
  const authenticator = new passport.Passport();
  const cookies = { secrets, secure: publicUrl.startsWith('https:'), clock };
  const flows = [createGithub(config.github), createGoogle(config.google), createOidc(config.oidc)]
    .filter((provider) => provider !== undefined)
    .map((provider) => createOAuthFlow(provider, { publicUrl, cookies, useOnce: store.useOnce }));
  if (flows.length > 0 && allowedUsers.length === 0 && config.allowedUsersFile === undefined) {
    log.warn(
      'no user can sign in: RELAY_ALLOWED_USERS is empty. Set it to addresses, @domains, github:logins, oidc:group/names or *.',
    );
  }

  const app = bareApp();
  // Each path has one spelling, so that no other spelling avoids the checks of a route.
  app.enable('strict routing');
  app.use(observeCalls({ log, metrics, tracing }));
  const gateway = { keys: principalKeys.gateway, kinds: ['nobody'] as const };
  const verify = createPrincipalVerifier({ audience: 'dashboard', callers: { gateway }, clock });
  app.use(requireGatewayPrincipal(createPrincipalGuard({ verify, log, metrics, clock })));
  app.use(requireOwnHost(publicUrl));
  app.use(requireSameOrigin(publicUrl));
  app.use(sendWebFile(webApp));
  mountStopEmails(app, notifier);
  app.use(
    sessionMiddleware({
      redis,
      store,
      sessions,
      authenticator,
      isAllowed,
      secrets,
      lifetime,
      publicUrl,
    }),
  );
  mountAll(app, {
    services: { requests, messages, notifier },
    users,
    sessions,
    flows,
    isAllowed,
    cookies,
    webApp,
    config,
    log,
  });
  app.use(() => {
    throw new Problem('not_found');
  });
  app.use(handleErrors(log, { isOutage: redis.isOutage, send: sendError }));

  const server = createHttpServer({ handler: app, host: config.process.host, port: config.port });
  const parts = [tracing, allowed, redis, requests, messages, notifier, sweeper, server];
  return composeService({
    name: 'dashboard',
    parts,
    log,
    metrics,
    settings: config.process,
    staysReady: true,
    server,
  });

  function clientOf(name: string, url: string, keys: KeysWithIds) {
    return createServiceClient({ caller: 'dashboard', name, url, keys, clock, log });
  }
}
