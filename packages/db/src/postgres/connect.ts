import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { connectionFailure } from './connection-failure.ts';

const longestPause = 2_000;
const longestAttempt = 3_000;

export interface ConnectOptions {
  config?: pg.ClientConfig;
  /** How long a server that is away is waited for, in milliseconds. */
  patience: number;
  /** Hears of each attempt that failed and will be repeated. */
  onRetry(message: string, pauseMs: number): void;
  signal?: AbortSignal;
}

/** A connection could not be made; the message is a whole sentence for the operator. */
export class ConnectError extends Error {
  override readonly name = 'ConnectError';
}

/**
 * One connection to Postgres. Waits for a server that is away with growing pauses; says at once
 * what no waiting can mend.
 */
export async function connect(url: string, options: ConnectOptions): Promise<pg.Client> {
  const until = performance.now() + options.patience;
  for (let wait = 100; ; wait = Math.min(wait * 2, longestPause)) {
    const left = until - performance.now();
    try {
      return await connectOnce(url, {
        ...options.config,
        connectionTimeoutMillis: clamp(left, 500, longestAttempt),
      });
    } catch (error) {
      const failure = connectionFailure(url, error);
      if (failure.permanent) throw new ConnectError(`${failure.message}.`);
      if (performance.now() + wait > until) {
        throw new ConnectError(`${failure.message} (tried for ${Math.round(options.patience / 1000)} s).`);
      }
      options.onRetry(failure.message, wait);
    }
    await pause(wait, undefined, options.signal && { signal: options.signal });
  }
}

/** A single attempt. A connection that breaks later fails its queries, not the process. */
export async function connectOnce(url: string, config: pg.ClientConfig = {}): Promise<pg.Client> {
  const client = new pg.Client({ keepAlive: true, ...config, connectionString: url });
  client.on('error', () => {});
  try {
    await client.connect();
    return client;
  } catch (error) {
    await client.end().catch(() => {});
    throw error;
  }
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), most);
}
