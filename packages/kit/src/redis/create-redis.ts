import { Redis } from 'ioredis';
import type { Part } from '../lifecycle/part.ts';
import type { Log } from '../log/index.ts';

/** A connection to Redis that comes back by itself. */
export interface RedisConnection extends Part {
  readonly client: Redis;
  readonly connected: boolean;
}

export function createRedis(options: {
  url: string;
  /** Under which Redis lists the connection. */
  name: string;
  /** What a command does while Redis is away: wait for it, however long, or fail at once. */
  whileAway: 'wait' | 'fail';
  log: Log;
}): RedisConnection {
  const { log } = options;
  const waits = options.whileAway === 'wait';
  let away = false;
  let stopping = false;

  const client = new Redis(options.url, {
    connectionName: options.name,
    lazyConnect: true,
    enableOfflineQueue: waits,
    maxRetriesPerRequest: waits ? null : 0,
    connectTimeout: 5_000,
    // A server that is frozen or cut off closes nothing. Not for who waits: a blocking command is quiet for long.
    ...(waits ? {} : { socketTimeout: 2_000 }),
    // Its timer outlives the end of a client that was away.
    disconnectTimeout: 200,
    retryStrategy: (attempt) => Math.min(attempt * 100, 1_000),
  });
  client.on('error', (error) => noteAway(error.message));
  client.on('close', () => noteAway('the connection was closed'));
  client.on('ready', () => {
    if (away) log.info('Redis is back');
    away = false;
  });

  // Told once for each outage, not at each attempt.
  function noteAway(reason: string): void {
    if (!away && !stopping) log.warn({ reason }, 'Redis is away: reconnecting');
    away = true;
  }

  return {
    name: 'redis',
    client,
    get connected() {
      return client.status === 'ready';
    },
    async start() {
      // Only the first attempt is waited for. That it failed is told above; the client goes on trying.
      await client.connect().catch(() => {});
    },
    notReady: () => (client.status === 'ready' ? undefined : 'away'),
    async stop() {
      stopping = true;
      client.disconnect();
    },
  };
}
