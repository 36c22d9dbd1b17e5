import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';

/** Any number will do, if no other program locks it in this database. */
const lockKey = 7_204_513_311n;
const askEvery = 100;

/**
 * Waits until no other process migrates this database. The lock goes with the connection, whatever
 * becomes of this process. It is asked for again and again: waiting inside Postgres would hold a
 * snapshot, and `CREATE INDEX CONCURRENTLY` waits for those.
 */
export async function lockMigrations(client: pg.ClientBase, onWait: () => void): Promise<void> {
  for (let asked = 0; ; asked++) {
    const { rows } = await client.query<{ locked: boolean }>('SELECT pg_try_advisory_lock($1) AS locked', [
      lockKey,
    ]);
    if (rows[0]?.locked) return;
    if (asked === 0) onWait();
    await pause(askEvery);
  }
}
