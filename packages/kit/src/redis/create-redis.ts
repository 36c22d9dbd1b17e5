import { Redis } from 'ioredis';
import type { Log } from '../log/index.ts';
import { isRefusal, type Part } from '../part/index.ts';

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
  /** A key of the service, which its user of Redis may read. */
  key: string;
  log: Log;
}): RedisConnection {
  const { key, log } = options;
  const waits = options.whileAway === 'wait';
  let away = false;
  let reason = 'not connected yet';
  /** Redis answers, and does not let this user have the service's keys. */
  let denial: string | undefined;
  let wasAccepted = false;
  const reported = new Set<string>();
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
  client.on('ready', () => void probe());

  // Each reason is logged once for each outage, not at each attempt.
  function noteAway(why: string): void {
    reason = why;
    if (!reported.has(why) && !stopping) log.warn({ reason }, 'Redis is away: reconnecting');
    reported.add(why);
    away = true;
  }

  async function probe(): Promise<void> {
    try {
      await client.exists(key);
    } catch (error) {
      const { message } = error as Error;
      if (!isRefusal(message)) return;
      denial = message;
      noteAway(message);
      return;
    }
    if (away) log.info('Redis is back');
    away = false;
    denial = undefined;
    wasAccepted = true;
    reported.clear();
  }

  const reasonAway = () => (client.status === 'ready' ? denial : reason);

  return {
    name: 'redis',
    dependency: { name: 'redis', away: reasonAway },
    client,
    get connected() {
      return reasonAway() === undefined;
    },
    refusal: () => (!wasAccepted && isRefusal(reason) ? `Redis refuses this service: ${reason}` : undefined),
    async start() {
      // Not with `wait`, where blocking commands take long.
      if (!waits) stopWatching = watchAnswers(client, probe);
      // Waits for the first attempt only. Its failure is logged above, and the client tries again.
      await client.connect().catch(() => {});
      if (client.status === 'ready') await probe();
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
function watchAnswers(client: Redis, probe: () => Promise<void>): () => void {
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
    } else if (checks === 1 && client.status === 'ready') void probe().then(noteAnswer);
  }, checkIntervalMs);
  return () => clearInterval(timer);
}
