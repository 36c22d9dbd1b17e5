import { setTimeout as pause } from 'node:timers/promises';
import { connect, DebugEvents, Events, type NatsConnection } from 'nats';
import type { Log } from '../log/index.ts';
import { isRefusal, type Part } from '../part/index.ts';
import { closeAbandonedSockets } from './close-abandoned.ts';
import { type NatsAccess, readAccess } from './read-access.ts';

closeAbandonedSockets();

/** A connection to NATS that is made and restored in the background. A start does not wait for it. */
export interface Nats extends Part {
  /** The connection once it was made. The object stays the same after a reconnect. */
  readonly connection: NatsConnection | undefined;
  readonly connected: boolean;
  /** Calls back with the connection when it is made for the first time. */
  onConnection(callback: (connection: NatsConnection) => void): void;
}

/** Throws a ConfigError when the files or the seed for the sign-in cannot be used. */
export function createNats(
  options: NatsAccess & {
    name: string;
    log: Log;
    /** The service cannot do without it. */
    isRequired?: boolean;
  },
): Nats {
  const { log, isRequired = false } = options;
  const access = readAccess(options);
  const waiting: ((connection: NatsConnection) => void)[] = [];
  const stopping = new AbortController();
  let connection: NatsConnection | undefined;
  let connected = false;
  let reason = 'not connected yet';
  let attempts: Promise<void> | undefined;

  async function tryToConnect(): Promise<boolean> {
    try {
      connection = await connect({
        ...access,
        name: options.name,
        maxReconnectAttempts: -1,
        // Otherwise a server that refuses our user twice, such as one that was started with the wrong users, ends the connection
        // for ever.
        ignoreAuthErrorAbort: true,
        reconnectTimeWait: 250,
        reconnectJitter: 250,
        pingInterval: 5_000,
        maxPingOut: 2,
        timeout: 2_000,
        // Recording a stack for each request took a sixth of the time of publishing an event.
        noAsyncTraces: true,
      });
    } catch (error) {
      reason = reasonOf(error);
      return false;
    }
    connected = true;
    void followStatus(connection);
    for (const callback of waiting.splice(0)) callback(connection);
    return true;
  }

  async function connectUntilItWorks(): Promise<void> {
    let isDone = await tryToConnect();
    for (let wait = 100; !isDone && !stopping.signal.aborted; wait = Math.min(wait * 2, 2_000)) {
      log.warn({ server: access.servers, reason }, `NATS is away: trying again in ${wait} ms`);
      await pause(wait, undefined, { signal: stopping.signal }).catch(() => {});
      if (!stopping.signal.aborted) isDone = await tryToConnect();
    }
  }

  async function followStatus(current: NatsConnection): Promise<void> {
    for await (const status of current.status()) {
      if (status.type === Events.Disconnect || status.type === DebugEvents.StaleConnection) {
        if (connected) log.warn('NATS is away: reconnecting');
        connected = false;
        reason = 'the connection was lost';
      } else if (status.type === Events.Reconnect) {
        connected = true;
        log.info('NATS is back');
      }
    }
  }

  return {
    name: 'nats',
    dependency: { name: 'nats', away: () => (connected ? undefined : reason) },
    get connection() {
      return connection;
    },
    get connected() {
      return connected;
    },
    ...(isRequired && {
      acceptance: () => (connection ? 'accepted' : isRefusal(reason) ? { refused: reason } : 'unknown'),
    }),
    onConnection(callback) {
      if (connection) callback(connection);
      else waiting.push(callback);
    },
    async start() {
      attempts = connectUntilItWorks();
    },
    async stop() {
      stopping.abort();
      await attempts;
      connected = false;
      await connection?.close();
    },
  };
}

/** nats.js reports a server without TLS as `tls`. */
function reasonOf(error: unknown): string {
  const { message } = error as Error;
  return message === 'tls' ? 'the server has no TLS, and the settings require it' : message;
}
