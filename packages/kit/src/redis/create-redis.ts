import { Redis } from 'ioredis';
import type { Log } from '../log/index.ts';
import type { Part } from '../part/index.ts';

/** A connection to Redis that reconnects automatically. */
export interface RedisConnection extends Part {
  readonly client: Redis;
  readonly connected: boolean;
}

export function createRedis(options: {
  url: string;
  /** The name of the connection in Redis's list of clients. */
  name: string;
  /** What a command does while Redis is away: wait without a limit, or fail at once. */
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
    // Detects a server that neither answers nor closes. Not with `wait`, where blocking commands take long.
    ...(waits ? {} : { socketTimeout: 2_000 }),
    // The timer runs even after the end of a client that was away.
    disconnectTimeout: 200,
    retryStrategy: (attempt) => Math.min(attempt * 100, 1_000),
  });
  client.on('error', (error) => noteAway(error.message));
  // A failed attempt emits `close` too; the reason is in the error before it.
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

  const reasonAway = () => (client.status === 'ready' ? undefined : reason);

  return {
    name: 'redis',
    dependency: { name: 'redis', away: reasonAway },
    client,
    get connected() {
      return client.status === 'ready';
    },
    async start() {
      // Waits for the first attempt only. Its failure is logged above, and the client tries again.
      await client.connect().catch(() => {});
    },
    notReady: reasonAway,
    async stop() {
      stopping = true;
      client.disconnect();
    },
  };
}
