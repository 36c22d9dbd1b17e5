import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';

const longestGoodbye = 500;

/** Ends a connection, also one whose other side is gone and will never say goodbye. */
export async function disconnect(client: pg.Client): Promise<void> {
  const impatient = new AbortController();
  const deadline = pause(longestGoodbye, undefined, { signal: impatient.signal }).then(
    () => client.connection.stream.destroy(),
    () => {},
  );
  try {
    await Promise.race([client.end(), deadline]);
  } finally {
    impatient.abort();
  }
}
