import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';

/**
 * Gets an advisory lock, which ends with the connection; false when `signal` is aborted before. It polls: a statement that
 * waits for the lock inside Postgres would hold a snapshot meanwhile, which holds vacuum back, and for which
 * `CREATE INDEX CONCURRENTLY` and `CREATE DATABASE` wait.
 */
export async function lockSession(
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
