import { Problem } from '@expert-relay/kit/problem';
import type { RedisConnection } from '@expert-relay/kit/redis';
import type { RequestHandler } from 'express';
import session from 'express-session';
import type passport from 'passport';
import type { SessionStore, SignedIn } from './session-store.ts';
import type { Sessions } from './sessions.ts';

/** The middleware that sets `request.user` to the user of the session cookie. */
export function createSession(options: {
  redis: RedisConnection;
  store: SessionStore;
  sessions: Sessions;
  authenticator: passport.Authenticator;
  isValid: (user: SignedIn) => boolean;
  secrets: readonly string[];
  idleTimeout: number;
  publicUrl: string;
}): RequestHandler[] {
  const { redis, store, sessions, authenticator, isValid } = options;
  const isHttps = options.publicUrl.startsWith('https:');
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
    session({
      name: isHttps ? '__Host-relay_session' : 'relay_session',
      secret: [...options.secrets],
      store,
      resave: false,
      saveUninitialized: false,
      rolling: true,
      proxy: true,
      cookie: { httpOnly: true, sameSite: 'lax', secure: isHttps, path: '/', maxAge: options.idleTimeout },
    }),
    authenticator.initialize() as RequestHandler,
    authenticator.session() as RequestHandler,
    async (request, _response, next) => {
      if (request.user && !isValid(request.user)) await sessions.endOwn(request);
      next();
    },
  ];
}
