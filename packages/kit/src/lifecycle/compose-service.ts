import { setTimeout as pause } from 'node:timers/promises';
import type { Clock } from '../clock/index.ts';
import type { Log } from '../log/index.ts';
import type { Metrics } from '../metrics/index.ts';
import type { Part, StartupError } from '../part/index.ts';
import { createOpsServer } from './create-ops-server.ts';
import { createReadiness } from './create-readiness.ts';
import { watchAcceptance } from './watch-acceptance.ts';

export interface Service {
  readonly name: string;
  readonly log: Log;
  /** The address of its HTTP server; empty before the start, and for a service without one. */
  readonly url: string;
  /** The address of /livez, /readyz and /metrics; set once started. */
  readonly opsUrl: string;
  start(): Promise<void>;
  /** Settles when a server that the service needs has refused its settings for minutes since the start. */
  readonly refused: Promise<StartupError>;
  /** Makes the service unready, pauses, then stops the parts in reverse order. May be called more than once. */
  stop(): Promise<void>;
}

/** What a test may replace in a service. */
export interface Overrides {
  clock?: Clock;
  log?: Log;
}

export interface ServiceSettings {
  host: string;
  opsPort: number;
  shutdownPause: number;
}

export function composeService(options: {
  name: string;
  parts: readonly Part[];
  log: Log;
  metrics: Metrics;
  settings: ServiceSettings;
  /**
   * Once ready, the service stays ready while its dependencies are away, and responds with 503 and `Retry-After` instead.
   * For services that the public reaches: a load balancer without a ready pod would refuse connections.
   */
  staysReady?: boolean;
  /** The part that is the service's HTTP server, if it has one. */
  server?: { readonly url: string };
  /** How long a server may refuse the settings from the start on. Long enough for the alert of a dependency that is away. */
  refusalPatienceMs?: number;
}): Service {
  const { name, parts, log, metrics, settings, staysReady = false, server } = options;
  const { refusalPatienceMs = 300_000 } = options;
  const running: Part[] = [];
  let startedAll = false;
  let stopping: Promise<void> | undefined;

  const phase = () => {
    if (stopping) return 'stopping';
    return startedAll ? undefined : 'starting';
  };
  const readiness = createReadiness({ parts, staysReady, phase, metrics });
  const acceptance = watchAcceptance(parts, refusalPatienceMs);
  const ops = createOpsServer({ ...settings, metrics, readiness });

  async function start(): Promise<void> {
    try {
      for (const part of [ops, ...parts]) {
        running.push(part);
        await part.start?.();
        if (stopping) return;
      }
      startedAll = true;
      acceptance.start();
      // A dependency that fails before the first probe does not make the service unready.
      readiness();
      log.info({ ops: ops.url }, 'started');
    } catch (error) {
      await stopParts();
      throw error;
    }
  }

  async function stopParts(): Promise<void> {
    for (let part = running.pop(); part; part = running.pop()) {
      try {
        await part.stop?.();
      } catch (error) {
        log.error({ part: part.name, err: error }, 'a part did not stop cleanly');
      }
    }
  }

  async function stopInOrder(): Promise<void> {
    acceptance.stop();
    log.info('stopping');
    for (const part of running) part.drain?.();
    if (startedAll) await pause(settings.shutdownPause);
    await stopParts();
    log.info('stopped');
  }

  return {
    name,
    log,
    get url() {
      return server?.url ?? '';
    },
    get opsUrl() {
      return ops.url;
    },
    start,
    refused: acceptance.refused,
    stop() {
      stopping ??= stopInOrder();
      return stopping;
    },
  };
}
