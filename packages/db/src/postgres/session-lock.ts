import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';

/**
 * Gets an advisory lock, which ends with the connection; false when `signal` is aborted before. It polls, since a statement
 * that waits for the lock inside Postgres holds a snapshot: vacuum could not remove rows, and `CREATE INDEX CONCURRENTLY`
 * and `CREATE DATABASE` would wait for it.
 */
export async function acquireSessionLock(
  client: pg.ClientBase,
  key: number | bigint,
  options: { retryMs: number; onWait?(): void; signal?: AbortSignal },
): Promise<boolean> {
  const { retryMs, onWait, signal } = options;
  for (let attempt = 0; !signal?.aborted; attempt++) {
    const { rows } = await client.query('SELECT pg_try_advisory_lock($1) AS locked', [key]);
    if (rows[0].locked) return true;
    if (attempt === 0) onWait?.();
    await pause(retryMs, undefined, signal && { signal }).catch(() => {});
  }
  return false;
}
