import { Redis } from 'ioredis';
import type { Log } from '../log/index.ts';
import type { Part } from '../part/index.ts';

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
  let reason = 'not connected yet';
  let stopping = false;

  const client = new Redis(options.url, {
    connectionName: options.name,
    lazyConnect: true,
    enableOfflineQueue: waits,
    maxRetriesPerRequest: waits ? null : 0,
    connectTimeout: 5_000,
    // A server that is frozen or cut off closes nothing. Not with `wait`: a blocking command is silent for long.
    ...(waits ? {} : { socketTimeout: 2_000 }),
    // Its timer outlives the end of a client that was away.
    disconnectTimeout: 200,
    retryStrategy: (attempt) => Math.min(attempt * 100, 1_000),
  });
  client.on('error', (error) => noteAway(error.message));
  // A failed attempt closes its connection too: the error before it says more.
  client.on('close', () => away || noteAway('the connection was closed'));
  client.on('ready', () => {
    if (away) log.info('Redis is back');
    away = false;
  });

  // Logged once for each outage, not at each attempt.
  function noteAway(why: string): void {
    reason = why;
    if (!away && !stopping) log.warn({ reason }, 'Redis is away: reconnecting');
    away = true;
  }

  const whyAway = () => (client.status === 'ready' ? undefined : reason);

  return {
    name: 'redis',
    dependency: { name: 'redis', away: whyAway },
    client,
    get connected() {
      return client.status === 'ready';
    },
    async start() {
      // Only the first attempt is waited for. Its failure is logged above; the client goes on trying.
      await client.connect().catch(() => {});
    },
    notReady: whyAway,
    async stop() {
      stopping = true;
      client.disconnect();
    },
  };
}
