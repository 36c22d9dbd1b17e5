import { setTimeout as pause } from 'node:timers/promises';
import type { Log } from '@expert-relay/kit/log';
import type pg from 'pg';
import { connectOnce } from '../postgres/connect.ts';
import { connectionFailure } from '../postgres/connection-failure.ts';
import { disconnect } from '../postgres/disconnect.ts';

/** Any number will do, if no other program locks it in this database. */
const lockKey = 7_204_513_312n;
const askEvery = 250;
/** Well below the session's idle timeout. */
const showLifeEvery = 500;

/**
 * Ends a leader that Postgres hears nothing of, be its process frozen or its network cut: else the lock
 * would stay with it for as long as TCP believes in the connection. What it writes need not be on the disk when
 * it goes on: a mark that is lost with Postgres means that the event is published once more, under the same id.
 *
 * Its statements are each about a few rows, and their plans are kept: one that was made while the table was small
 * would read all of it, each time, once there are a hundred thousand. (To what has no index the planner then gives a
 * cost at which it would compile the statement.)
 */
const sessionSettings = `
  SELECT
    set_config('idle_session_timeout', '1300ms', false),
    set_config('statement_timeout', '4s', false),
    set_config('synchronous_commit', 'off', false),
    set_config('enable_seqscan', 'off', false),
    set_config('enable_hashjoin', 'off', false),
    set_config('enable_mergejoin', 'off', false),
    set_config('jit', 'off', false),
    set_config('tcp_user_timeout', '1300ms', false),
    set_config('tcp_keepalives_idle', '1', false),
    set_config('tcp_keepalives_interval', '1', false)`;

const clientConfig: pg.ClientConfig = {
  application_name: 'relay outbox',
  connectionTimeoutMillis: 2_000,
  query_timeout: 4_000,
  // Showing life must not wait for the work, and a query that is not answered ends the connection.
  pipeline: true,
};

/**
 * Calls `lead` while this process, alone of all on this database, holds the lock, and again each time it
 * gets it back. The lock belongs to the connection that `lead` works with: whoever lost the one can no
 * longer write with the other. `lost` tells it to stop.
 */
export async function takeTurns(options: {
  url: string;
  log: Log;
  signal: AbortSignal;
  lead(client: pg.Client, lost: AbortSignal): Promise<void>;
}): Promise<void> {
  const { url, log, signal, lead } = options;
  let complaint = '';
  while (!signal.aborted) {
    let client: pg.Client | undefined;
    try {
      client = await connectOnce(url, clientConfig);
      await client.query(sessionSettings);
      complaint = '';
      if (await lock(client, signal)) await leadUntilLost(client);
    } catch (error) {
      const { message } = connectionFailure(url, error);
      if (message !== complaint && !signal.aborted)
        log.warn({ reason: message }, 'the outbox relay lost Postgres');
      complaint = message;
    } finally {
      if (client) await disconnect(client);
    }
    await pause(askEvery, undefined, { signal }).catch(() => {});
  }

  async function leadUntilLost(client: pg.Client): Promise<void> {
    const lost = new AbortController();
    const showLife = setInterval(
      () => void client.query('SELECT 1').catch(() => lost.abort()),
      showLifeEvery,
    );
    client.once('end', () => lost.abort());
    log.info('leads the outbox');
    try {
      await lead(client, AbortSignal.any([signal, lost.signal]));
    } finally {
      clearInterval(showLife);
      log.info('no longer leads the outbox');
    }
  }
}

/** Asks again and again: waiting inside Postgres would hold back its vacuum for as long as another leads. */
async function lock(client: pg.Client, signal: AbortSignal): Promise<boolean> {
  while (!signal.aborted) {
    const { rows } = await client.query<{ locked: boolean }>('SELECT pg_try_advisory_lock($1) AS locked', [
      lockKey,
    ]);
    if (rows[0]?.locked) return true;
    await pause(askEvery, undefined, { signal }).catch(() => {});
  }
  return false;
}
