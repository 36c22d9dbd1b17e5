import { setTimeout as pause } from 'node:timers/promises';
import type { Part } from '@expert-relay/kit/lifecycle';
import { StartupError } from '@expert-relay/kit/lifecycle';
import type { Log } from '@expert-relay/kit/log';
import type pg from 'pg';
import { knownMigrations } from '../migrate/known-migrations.ts';
import { schemaGap } from '../migrate/schema-gap.ts';
import { ConnectError, connect, connectOnce } from './connect.ts';
import { connectionFailure } from './connection-failure.ts';
import { disconnect } from './disconnect.ts';

const lookEvery = 1_000;
const longestAnswer = 2_000;

export type PostgresWatch = Required<Omit<Part, 'drain'>>;

/**
 * Knows whether Postgres answers and has this code's schema. It has a connection of its own: a pool that
 * is merely busy must not look like a database that is away.
 */
export function watchPostgres(options: { url: string; patience: number; log: Log }): PostgresWatch {
  const { url, patience, log } = options;
  const config: pg.ClientConfig = { query_timeout: longestAnswer, connectionTimeoutMillis: longestAnswer };
  const stopping = new AbortController();
  const { signal } = stopping;
  let client: pg.Client | undefined;
  let gap: string | undefined = 'its schema has not been looked at';
  let outage: string | undefined = 'not connected yet';
  let reason: string | undefined = gap;
  let following: Promise<void> | undefined;

  async function look(known: readonly string[]): Promise<void> {
    try {
      client ??= await connectOnce(url, config);
      if (gap) gap = await schemaGap(client, known);
      else await client.query('SELECT 1');
      outage = undefined;
      say(gap);
    } catch (error) {
      const broken = client;
      client = undefined;
      if (broken) await disconnect(broken);
      if (signal.aborted) return;
      outage = connectionFailure(url, error).message;
      say(outage);
    }
  }

  function say(now: string | undefined): void {
    if (now === reason) return;
    if (now) log.warn({ reason: now }, 'the database cannot be used');
    else log.info('the database can be used');
    reason = now;
  }

  async function follow(known: readonly string[]): Promise<void> {
    while (!signal.aborted) {
      await pause(lookEvery, undefined, { signal }).catch(() => {});
      if (!signal.aborted) await look(known);
    }
  }

  return {
    name: 'postgres',
    dependency: { name: 'postgres', away: () => outage },
    notReady: () => reason,
    async start() {
      const known = await knownMigrations();
      const onRetry = (why: string, wait: number) =>
        log.warn({ reason: why }, `Postgres is away: trying again in ${wait} ms`);
      try {
        client = await connect(url, { config, patience, onRetry, signal });
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof ConnectError) throw new StartupError(`${error.message} Check DATABASE_URL.`);
        throw error;
      }
      await look(known);
      following = follow(known);
    },
    async stop() {
      stopping.abort();
      await following;
      if (client) await disconnect(client);
    },
  };
}
