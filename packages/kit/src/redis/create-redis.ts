import { Redis } from 'ioredis';
import type { Log } from '../log/index.ts';
import { isRefusal, type Part } from '../part/index.ts';

/** A connection to Redis that reconnects automatically. */
export interface RedisConnection extends Part {
  readonly client: Redis;
  readonly connected: boolean;
  /** Whether a command failed because Redis was away, or could not run it at that time. */
  isOutage(error: unknown): boolean;
}

/** Errors of a server that responds: it has no memory or disk, takes no writes after a failover, is loading its data, or is busy. */
const cannotServe =
  /^(BUSY|CLUSTERDOWN|EXECABORT|LOADING|MASTERDOWN|MISCONF|NOREPLICAS|OOM|READONLY|TRYAGAIN)\b/;

/** Errors of the client for a command that had no connection. When the error is handled, there may be one again. */
const hadNoConnection =
  /^(Stream isn't writeable|Connection is closed|Reached the max retries|Command aborted)/;

export function createRedis(options: {
  url: string;
  /** The name of the connection in Redis's list of clients. */
  name: string;
  /** What a command does while Redis is away: wait without a limit, or fail at once. */
  whileAway: 'wait' | 'fail';
  /** A key of the service, which its user of Redis may read. */
  key: string;
  /** The service cannot do without it. */
  isRequired?: boolean;
  log: Log;
}): RedisConnection {
  const { key, isRequired = false, log } = options;
  const waits = options.whileAway === 'wait';
  let away = false;
  let reason = 'not connected yet';
  /** Redis responds, and does not let this user have the service's keys. */
  let denial: string | undefined;
  let wasAccepted = false;
  const reported = new Set<string>();
  let stopping = false;
  let stopWatching = () => {};
  let repeat: NodeJS.Timeout | undefined;

  const client = new Redis(options.url, {
    connectionName: options.name,
    lazyConnect: true,
    enableOfflineQueue: waits,
    maxRetriesPerRequest: waits ? null : 0,
    connectTimeout: 5_000,
    // The timer runs even after the end of a client that was away.
    disconnectTimeout: 200,
    retryStrategy: (attempt) => Math.min(attempt * 100, 1_000),
    reconnectOnError: leaveReplica,
  });
  client.on('error', (error) => noteAway(error.message));
  // A failed attempt emits `close` too; the reason is in the error before it.
  client.on('close', () => away || noteAway('the connection was closed'));
  client.on('ready', () => void probe());

  // Each reason is logged once for each outage, not at each attempt.
  function noteAway(why: string, message = 'Redis is away: reconnecting'): void {
    reason = why;
    if (!reported.has(why) && !stopping) log.warn({ reason }, message);
    reported.add(why);
    away = true;
  }

  function noteBack(): void {
    if (away) log.info('Redis is back');
    away = false;
    denial = undefined;
    reported.clear();
  }

  /** Looks the service's key up. Repeated while it is denied, since a change of permissions closes no connection. */
  async function probe(): Promise<void> {
    clearTimeout(repeat);
    try {
      await client.get(key);
      wasAccepted = true;
      noteBack();
    } catch (error) {
      const { name, message } = error as Error;
      if (isRefusal(message)) {
        denial = message;
        noteAway(message, 'Redis refuses this user the keys of the service');
        if (!stopping) repeat = setTimeout(() => void probe(), 1_000).unref();
        // Another refusal is a response, too; a lost connection is none.
      } else if (name === 'ReplyError') noteBack();
    }
  }

  const reasonAway = () => (client.status === 'ready' ? denial : reason);
  const isConnected = () => reasonAway() === undefined;

  return {
    name: 'redis',
    dependency: { name: 'redis', away: reasonAway },
    client,
    get connected() {
      return isConnected();
    },
    isOutage: (error) =>
      !isConnected() || [cannotServe, hadNoConnection].some((kind) => kind.test((error as Error).message)),
    ...(isRequired && {
      acceptance: () => (wasAccepted ? 'accepted' : isRefusal(reason) ? { refused: reason } : 'unknown'),
    }),
    async start() {
      // Not with `wait`, where blocking commands take long.
      if (!waits) stopWatching = watchAnswers(client, probe);
      // Waits for the first attempt only. Its failure is logged above, and the client tries again.
      await client.connect().catch(() => {});
      // With `wait`, a command waits for as long as Redis is away.
      if (client.status === 'ready' && !waits) await probe();
    },
    notReady: reasonAway,
    async stop() {
      stopping = true;
      stopWatching();
      clearTimeout(repeat);
      client.disconnect();
    },
  };
}

/** A connection to a replica is closed once in this time: meanwhile it answers reads. */
const leaveIntervalMs = 5_000;
const leftAt = new WeakMap<object, number>();

/** After a failover, the address may lead to another server than this connection does. Called with the client's own options. */
function leaveReplica(this: object, { message }: Error): boolean {
  const now = Date.now();
  if (!message.startsWith('READONLY') || now - (leftAt.get(this) ?? 0) < leaveIntervalMs) return false;
  leftAt.set(this, now);
  return true;
}

const checkIntervalMs = 500;
const maxChecksWithoutAnswer = 4;

/**
 * Closes the connection to a server that neither answers nor closes. It counts checks and not time: after a pause of this
 * process, the response is read before the next check. (A timeout of a command would end before the response is read.)
 */
function watchAnswers(client: Redis, probe: () => Promise<void>): () => void {
  let checks = 0;
  const noteAnswer = () => {
    checks = 0;
  };
  client.on('ready', noteAnswer);
  const timer = setInterval(() => {
    // While it is `connect`, the client itself waits for the first response.
    if (client.status !== 'ready' && client.status !== 'connect') return;
    checks += 1;
    if (checks > maxChecksWithoutAnswer) {
      checks = 0;
      client.stream.destroy(new Error('Redis does not answer'));
    } else if (checks === 1 && client.status === 'ready') void probe().then(noteAnswer);
  }, checkIntervalMs);
  return () => clearInterval(timer);
}
