import { setTimeout as pause } from 'node:timers/promises';
import type { Part } from '@expert-relay/kit/lifecycle';
import { StartupError } from '@expert-relay/kit/lifecycle';
import type { Log } from '@expert-relay/kit/log';
import type pg from 'pg';
import { knownMigrations } from '../migrations/migration-files.ts';
import { findSchemaProblem } from '../migrations/migration-table.ts';
import { ConnectError, connect, connectOnce, disconnect } from '../postgres/connect.ts';
import { connectionFailure } from '../postgres/failures.ts';

const checkIntervalMs = 1_000;
const answerTimeoutMs = 2_000;

export type PostgresWatch = Required<Omit<Part, 'drain' | 'acceptance'>>;

/**
 * Checks whether Postgres answers and has the schema of this code. It uses its own connection, so that a busy pool
 * does not count as an outage.
 */
export function watchPostgres(options: { url: string; patience: number; log: Log }): PostgresWatch {
  const { url, patience, log } = options;
  const config: pg.ClientConfig = {
    query_timeout: answerTimeoutMs,
    connectionTimeoutMillis: answerTimeoutMs,
  };
  const stopping = new AbortController();
  const { signal } = stopping;
  let client: pg.Client | undefined;
  let schemaProblem: string | undefined = 'its schema is not checked yet';
  let outage: string | undefined = 'not connected yet';
  let reason: string | undefined = schemaProblem;
  let checking: Promise<void> | undefined;

  async function check(known: readonly string[]): Promise<void> {
    try {
      client ??= await connectOnce(url, config);
      if (schemaProblem) schemaProblem = await findSchemaProblem(client, known);
      else await client.query('SELECT 1');
      outage = undefined;
      report(schemaProblem);
    } catch (error) {
      const broken = client;
      client = undefined;
      if (broken) await disconnect(broken);
      if (signal.aborted) return;
      outage = connectionFailure(url, error).message;
      report(outage);
    }
  }

  function report(newReason: string | undefined): void {
    if (newReason === reason) return;
    if (newReason) log.warn({ reason: newReason }, 'the database cannot be used');
    else log.info('the database can be used');
    reason = newReason;
  }

  async function checkRegularly(known: readonly string[]): Promise<void> {
    while (!signal.aborted) {
      await pause(checkIntervalMs, undefined, { signal }).catch(() => {});
      if (!signal.aborted) await check(known);
    }
  }

  return {
    name: 'postgres',
    dependency: { name: 'postgres', away: () => outage },
    notReady: () => reason,
    async start() {
      const known = await knownMigrations();
      const onRetry = (message: string, wait: number) =>
        log.warn({ reason: message }, `Postgres is away: trying again in ${wait} ms`);
      try {
        client = await connect(url, { config, patience, onRetry, signal });
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof ConnectError) throw new StartupError(`${error.message} Check DATABASE_URL.`);
        throw error;
      }
      await check(known);
      checking = checkRegularly(known);
    },
    async stop() {
      stopping.abort();
      await checking;
      if (client) await disconnect(client);
    },
  };
}
