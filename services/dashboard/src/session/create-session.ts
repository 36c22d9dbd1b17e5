import { randomUUID } from 'node:crypto';
import { Problem } from '@expert-relay/kit/problem';
import type { RedisConnection } from '@expert-relay/kit/redis';
import { RedisStore } from 'connect-redis';
import type { RequestHandler } from 'express';
import session from 'express-session';
import passport from 'passport';

/** Who is signed in, as the session keeps it. */
export interface SignedIn {
  userId: string;
  /** Names the session to other services; the cookie's own id stays between the browser and Redis. */
  sessionId: string;
}

declare global {
  namespace Express {
    interface User extends SignedIn {}
  }
}

/** The middleware by which `request.user` is whoever the session cookie stands for. */
export function createSession(options: {
  redis: RedisConnection;
  prefix: string;
  secret: string;
  idleTimeout: number;
  publicUrl: string;
}): RequestHandler[] {
  const isHttps = options.publicUrl.startsWith('https:');
  const keeper = new passport.Passport();
  keeper.serializeUser((user, done) => done(null, user));
  keeper.deserializeUser((user: SignedIn, done) => done(null, user));

  return [
    (request, _response, next) => {
      if (!options.redis.connected) {
        throw new Problem('unavailable', {
          detail: 'Sessions cannot be read at the moment. API keys work.',
          headers: { 'retry-after': '5' },
        });
      }
      // TLS ends before the gateway: how browsers reach us is a matter of the public address alone.
      request.headers['x-forwarded-proto'] = isHttps ? 'https' : 'http';
      next();
    },
    session({
      name: isHttps ? '__Host-relay_session' : 'relay_session',
      secret: options.secret,
      store: new RedisStore({
        client: options.redis.client,
        prefix: `${options.prefix}:session:`,
        ttl: options.idleTimeout / 1000,
      }),
      resave: false,
      saveUninitialized: false,
      rolling: true,
      proxy: true,
      cookie: { httpOnly: true, sameSite: 'lax', secure: isHttps, path: '/', maxAge: options.idleTimeout },
    }),
    keeper.initialize(),
    keeper.session(),
  ];
}

export const newSessionId = (): string => randomUUID();
