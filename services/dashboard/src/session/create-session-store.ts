import type { Part } from '@expert-relay/kit/lifecycle';
import type { Log } from '@expert-relay/kit/log';
import { RedisStore } from 'connect-redis';
import { Redis } from 'ioredis';

export interface SessionStore extends Part {
  readonly store: RedisStore;
}

/** Sessions in Redis. While it is away, calls fail at once instead of waiting for it. */
export function createSessionStore(options: {
  url: string;
  prefix: string;
  idleTimeout: number;
  log: Log;
}): SessionStore {
  const redis = new Redis(options.url, {
    lazyConnect: true,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
    connectTimeout: 5_000,
    retryStrategy: (attempt) => Math.min(attempt * 100, 2_000),
  });
  let away = false;
  redis.on('error', (error) => {
    if (!away) options.log.warn({ reason: error.message }, 'Redis is away: reconnecting');
    away = true;
  });
  redis.on('ready', () => {
    if (away) options.log.info('Redis is back');
    away = false;
  });

  return {
    name: 'sessions',
    store: new RedisStore({
      client: redis,
      prefix: `${options.prefix}:session:`,
      ttl: options.idleTimeout / 1000,
    }),
    async start() {
      // Its failure is told by the events above; the client goes on trying.
      await redis.connect().catch(() => {});
    },
    notReady: () => (redis.status === 'ready' ? undefined : 'Redis is away'),
    async stop() {
      redis.disconnect();
    },
  };
}
