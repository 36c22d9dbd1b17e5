import { setTimeout as pause } from 'node:timers/promises';
import type { Log } from '@expert-relay/kit/log';
import type pg from 'pg';
import { connectOnce, disconnect } from '../postgres/connect.ts';
import { connectionFailure, isOutage } from '../postgres/failures.ts';
import { acquireSessionLock, lockKeys } from '../postgres/session-lock.ts';

/*
 * When a leader is frozen or cut off, Postgres ends its session after 1.3 s without a statement. Another process gets
 * the lock 0.25 s later at most, so within two seconds. The leader sends a statement every 0.5 s at least.
 */
const idleTimeout = '1300ms';
const lockRetryMs = 250;
const keepAliveIntervalMs = 500;

/**
 * Without the timeouts, a session whose process is frozen or cut off would keep the lock until TCP closes the connection.
 * Marks of published rows need not wait for the disk: when Postgres loses one in a crash, the event is published again,
 * under the same id.
 *
 * Each statement reads a few rows by an index, and Postgres keeps its plan. Without these settings, a plan that was made
 * while the table was small would read the whole table later. (`jit` is off because Postgres would compile statements with
 * the cost of disabled scans.)
 */
const sessionSettings = `
  SELECT
    set_config('idle_session_timeout', '${idleTimeout}', false),
    set_config('idle_in_transaction_session_timeout', '${idleTimeout}', false),
    set_config('statement_timeout', '4s', false),
    set_config('synchronous_commit', 'off', false),
    set_config('enable_seqscan', 'off', false),
    set_config('enable_hashjoin', 'off', false),
    set_config('enable_mergejoin', 'off', false),
    set_config('jit', 'off', false),
    set_config('tcp_user_timeout', '${idleTimeout}', false),
    set_config('tcp_keepalives_idle', '1', false),
    set_config('tcp_keepalives_interval', '1', false)`;

const clientConfig: pg.ClientConfig = {
  application_name: 'relay outbox',
  connectionTimeoutMillis: 2_000,
  query_timeout: 4_000,
  // The keep-alive and `publishNext` do not wait for the answers of earlier statements. A statement that is not answered
  // ends the connection.
  pipeline: true,
};

/**
 * Calls `lead` whenever this process holds the lock, which one process on the database can hold at a time.
 * The lock belongs to the connection that `lead` writes with, so a process that lost the lock can no longer write.
 * `lead` must return when its signal is aborted: this process stops, or has lost the lock.
 */
export async function runAsLeader(options: {
  url: string;
  log: Log;
  signal: AbortSignal;
  lead(client: pg.Client, signal: AbortSignal): Promise<void>;
}): Promise<void> {
  const { url, log, signal, lead } = options;
  let lastWarning = '';
  while (!signal.aborted) {
    let client: pg.Client | undefined;
    try {
      client = await connectOnce(url, clientConfig);
      await client.query(sessionSettings);
      lastWarning = '';
      if (await acquireSessionLock(client, lockKeys.outboxLeader, { retryMs: lockRetryMs, signal }))
        await leadUntilLost(client);
    } catch (error) {
      const isLost = !client || isOutage(error);
      const reason = isLost ? connectionFailure(url, error).message : (error as Error).message;
      if (reason !== lastWarning && !signal.aborted)
        log.warn(
          { reason },
          isLost ? 'the outbox publisher lost Postgres' : 'the outbox publisher failed: trying again',
        );
      lastWarning = reason;
    } finally {
      if (client) await disconnect(client);
    }
    await pause(lockRetryMs, undefined, { signal }).catch(() => {});
  }

  async function leadUntilLost(client: pg.Client): Promise<void> {
    const lost = new AbortController();
    const keepAlive = setInterval(
      () => void client.query('SELECT 1').catch(() => lost.abort()),
      keepAliveIntervalMs,
    );
    client.once('end', () => lost.abort());
    log.info('leads the outbox');
    try {
      await lead(client, AbortSignal.any([signal, lost.signal]));
    } finally {
      clearInterval(keepAlive);
      log.info('no longer leads the outbox');
    }
  }
}
