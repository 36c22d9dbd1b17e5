import { Problem } from '@expert-relay/kit/problem';
import type { RedisConnection } from '@expert-relay/kit/redis';
import type { Request, RequestHandler } from 'express';
import session from 'express-session';
import type passport from 'passport';
import { hostCookieName } from '../cookies/signed-cookie.ts';
import type { IsAllowed } from '../sign-in/allowed-users.ts';
import type { SessionStore, SignedIn } from './session-store.ts';
import type { Sessions } from './sessions.ts';

/** The middleware that sets `request.user` to the user of the session cookie. */
export function sessionMiddleware(options: {
  redis: RedisConnection;
  store: SessionStore;
  sessions: Sessions;
  authenticator: passport.Authenticator;
  isAllowed: IsAllowed;
  secrets: readonly string[];
  lifetime: number;
  publicUrl: string;
}): RequestHandler[] {
  const { redis, store, sessions, authenticator, isAllowed } = options;
  const isHttps = options.publicUrl.startsWith('https:');
  const forCookie = (rolling: boolean) =>
    session({
      name: hostCookieName('relay_session', isHttps),
      secret: [...options.secrets],
      store,
      resave: false,
      saveUninitialized: false,
      rolling,
      proxy: true,
      // As long as a session can be: the record in Redis ends an idle session.
      cookie: { httpOnly: true, sameSite: 'lax', secure: isHttps, path: '/', maxAge: options.lifetime },
    });
  const [renewing, keeping] = [forCookie(true), forCookie(false)];
  authenticator.serializeUser((user, done) => done(null, user));
  authenticator.deserializeUser((user: SignedIn, done) => done(null, user));

  return [
    (request, _response, next) => {
      if (!redis.connected) {
        throw new Problem('unavailable', {
          detail: 'Sessions cannot be read right now. API keys still work.',
          headers: { 'retry-after': '5' },
        });
      }
      // TLS ends before the gateway, so only the public address shows whether browsers use https.
      request.headers['x-forwarded-proto'] = isHttps ? 'https' : 'http';
      next();
    },
    // Only the loading of a page renews the cookie. An open page makes many calls, and a late response to one of them would
    // replace the cookie of a sign-in in another tab.
    (request, response, next) => {
      const isLoading = request.path === '/api/me' || !request.path.startsWith('/api/');
      (isLoading ? renewing : keeping)(request, response, next);
    },
    authenticator.initialize() as RequestHandler,
    authenticator.session() as RequestHandler,
    async (request, response, next) => {
      const { user } = request;
      const isOpen =
        user &&
        isAllowed(user.identity) &&
        (!isChecked(request) || (await sessions.isOpen(user, response.locals.callId)));
      if (user && !isOpen) await sessions.signOutOwn(request);
      next();
    },
  ];
}

/**
 * Whether a call asks the requests service about its session. The page of the web app, which has no data of the user, and the sign-out
 * also work while that service is away.
 */
function isChecked({ method, path }: Request): boolean {
  const isAppPage = path === '/' || (/^\/dashboard(\/|$)/.test(path) && !path.startsWith('/dashboard/code/'));
  return !isAppPage && !(method === 'POST' && path === '/logout');
}
