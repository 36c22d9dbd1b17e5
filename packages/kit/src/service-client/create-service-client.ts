import { buildConnector, Pool } from 'undici';
import type { Clock } from '../clock/index.ts';
import type { KeysWithIds } from '../config/index.ts';
import { ClientLeft } from '../http/index.ts';
import type { Log } from '../log/index.ts';
import type { Part } from '../part/index.ts';
import { createPrincipalSigner } from '../principal/index.ts';
import { PendingCall, type ServiceCall, type ServiceResponse, type SharedByCalls } from './pending-call.ts';

/** Calls another service over kept-alive connections, with a principal that this service signs. */
export interface ServiceClient extends Part {
  /**
   * Resolves with the head of the response, whatever its status. Throws a `Problem` when there is no response, and logs the
   * cause.
   *
   * A call is sent once more after each of these, since one of two instances may be restarting or gone: a kept-alive connection broke
   * before the response began; a new connection was refused; a new connection was not made in time. `callId` makes that safe.
   */
  call(call: ServiceCall): Promise<ServiceResponse>;
  /** Whether the service responds, with any status. */
  isReachable(): Promise<boolean>;
}

/** Where a network drops packets, as at a Service without pods, a connection is neither made nor refused. */
const connectTimeoutMs = 1_500;
const probeTimeoutMs = 1_500;

const poolOptions = {
  /** Further calls wait until one of these is free. */
  connections: 512,
  /** Shorter than the 75 s for which a service keeps an idle connection, so that the service never closes it first. */
  keepAliveTimeout: 20_000,
  keepAliveMaxTimeout: 20_000,
  /** Only new connections reach new instances of a service, so old ones are replaced. */
  clientTtl: 30_000,
} as const;

export function createServiceClient(options: {
  /** The service that calls. */
  caller: string;
  name: string;
  url: string;
  keys: KeysWithIds;
  clock: Clock;
  log: Log;
  /** How long an attempt waits for the head of the response, and then for each further part of it. */
  timeoutMs?: number;
}): ServiceClient {
  const { caller, name, url, keys, clock, log, timeoutMs = 30_000 } = options;
  const sign = createPrincipalSigner({ caller, audience: name, keys, clock });
  const pools = new Set<Pool>();
  let pool = openPool();
  let isStopped = false;

  function openPool(): Pool {
    const opened = new Pool(url, {
      ...poolOptions,
      connect: connectAndWatch,
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
    });
    pools.add(opened);
    return opened;
  }

  /** Further calls use no connection of this pool. Calls that run there go on. */
  function replacePool(used: Pool): void {
    if (used !== pool || isStopped) return;
    pool = openPool();
    void used.close().finally(() => pools.delete(used));
  }

  const shared: SharedByCalls = {
    name,
    sign,
    log,
    isStopped: () => isStopped,
    pool: () => pool,
    replacePool,
  };

  return {
    name: `${name} client`,
    call(call) {
      const { clientResponse } = call;
      // A closed response emits no further `close`.
      if (clientResponse?.closed) return Promise.reject(new ClientLeft());
      return new PendingCall(shared, call).send(clientResponse);
    },
    async isReachable() {
      try {
        const { body } = await pool.request({
          method: 'HEAD',
          path: '/',
          signal: AbortSignal.timeout(probeTimeoutMs),
        });
        await body.dump();
        return true;
      } catch {
        return false;
      }
    },
    async stop() {
      isStopped = true;
      await Promise.all([...pools].map((each) => each.destroy()));
    },
  };
}

const connect = buildConnector({ timeout: connectTimeoutMs });

/** Adds to the error of a connection what it has received, as undici does with its own errors. */
const connectAndWatch: buildConnector.connector = (options, callback) =>
  connect(options, (...[error, socket]) => {
    socket?.once('error', (socketError) => {
      Object.assign(socketError, { socket: { bytesRead: socket.bytesRead } });
    });
    if (error) callback(error, null);
    else callback(null, socket);
  });
