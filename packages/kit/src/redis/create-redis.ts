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
  let stopWatching = () => {};

  const client = new Redis(options.url, {
    connectionName: options.name,
    lazyConnect: true,
    enableOfflineQueue: waits,
    maxRetriesPerRequest: waits ? null : 0,
    connectTimeout: 5_000,
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
      // Not with `wait`, where blocking commands take long.
      if (!waits) stopWatching = watchAnswers(client);
      // Waits for the first attempt only. Its failure is logged above, and the client tries again.
      await client.connect().catch(() => {});
    },
    notReady: reasonAway,
    async stop() {
      stopping = true;
      stopWatching();
      client.disconnect();
    },
  };
}

const checkIntervalMs = 500;
const maxChecksWithoutAnswer = 4;

/**
 * Closes the connection to a server that neither answers nor closes. It counts checks and not time: after a pause of this
 * process, the answer is read before the next check. (A timeout of a command would end before the answer is read.)
 */
function watchAnswers(client: Redis): () => void {
  let checks = 0;
  const noteAnswer = () => {
    checks = 0;
  };
  client.on('ready', noteAnswer);
  const timer = setInterval(() => {
    // While it is `connect`, the client itself waits for the first answer.
    if (client.status !== 'ready' && client.status !== 'connect') return;
    checks += 1;
    if (checks > maxChecksWithoutAnswer) {
      checks = 0;
      client.stream.destroy(new Error('Redis does not answer'));
    } else if (checks === 1 && client.status === 'ready') client.ping().then(noteAnswer, noteAnswer);
  }, checkIntervalMs);
  return () => clearInterval(timer);
}
