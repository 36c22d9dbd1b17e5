import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { connectionFailure } from './failures.ts';

const maxPauseMs = 2_000;
const maxAttemptMs = 3_000;
const endTimeoutMs = 500;

export interface ConnectOptions {
  config?: pg.ClientConfig;
  /** How long to wait for a server that is away, in milliseconds. */
  patience: number;
  /** Called after each failed attempt, before the pause. */
  onRetry(message: string, pauseMs: number): void;
  signal?: AbortSignal;
}

/** No connection could be opened; the message is a whole sentence for the operator. */
export class ConnectError extends Error {
  override readonly name = 'ConnectError';
}

/** Opens one connection to Postgres. It tries again, with growing pauses, while the server is away; it fails at once when waiting cannot help. */
export async function connect(url: string, options: ConnectOptions): Promise<pg.Client> {
  const until = performance.now() + options.patience;
  for (let wait = 100; ; wait = Math.min(wait * 2, maxPauseMs)) {
    const remaining = until - performance.now();
    try {
      return await connectOnce(url, {
        ...options.config,
        connectionTimeoutMillis: clamp(remaining, 500, maxAttemptMs),
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

/** A single attempt. When the connection breaks later, its queries fail and the process continues. */
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

/** Closes a connection, even if the other side no longer answers. */
export async function disconnect(client: pg.Client): Promise<void> {
  const ended = new AbortController();
  const deadline = pause(endTimeoutMs, undefined, { signal: ended.signal }).then(
    () => client.connection.stream.destroy(),
    () => {},
  );
  try {
    await Promise.race([client.end(), deadline]);
  } finally {
    ended.abort();
  }
}
