import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';

/** The keys of all advisory locks that have a name. Another program must not lock them in the same database. */
export const lockKeys = {
  /** That of `prisma migrate`, so that it and this wait for each other. */
  migration: 72_707_369n,
  outboxLeader: 7_204_513_312n,
  /** In the database of the admin. */
  testTemplate: 7_204_513_313n,
  takeFacts: 7_204_513_314n,
} as const;

/**
 * Gets an advisory lock, which ends with the connection; false when `signal` is aborted before. It polls, since a statement
 * that waits for the lock inside Postgres holds a snapshot: vacuum could not remove rows, and `CREATE INDEX CONCURRENTLY`
 * and `CREATE DATABASE` would wait for it.
 */
export async function acquireSessionLock(
  client: pg.ClientBase,
  key: bigint,
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
