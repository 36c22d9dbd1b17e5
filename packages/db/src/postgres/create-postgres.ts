import type { Part } from '@expert-relay/kit/lifecycle';
import type { Log } from '@expert-relay/kit/log';
import pg from 'pg';
import { createQuery, type Query } from './create-query.ts';
import { statementNames } from './statement-names.ts';
import { watchPostgres } from './watch-postgres.ts';

export interface PostgresOptions {
  url: string;
  poolSize: number;
  log: Log;
  /** How long `start` waits for a Postgres that is away, in milliseconds. */
  patience?: number;
  /** A statement that is not answered by then fails, and its connection is given up: the network swallowed it. */
  answerWithin?: number;
  /**
   * For few statements over tables that were empty when they were first planned: each call is planned anew, since
   * a kept plan goes on reading whole tables until their next vacuum.
   */
  plansAnew?: boolean;
}

export interface Postgres extends Required<Omit<Part, 'drain'>> {
  readonly pool: pg.Pool;
  readonly query: Query;
  /** By which Postgres knows a statement again. */
  readonly nameOf: (text: string) => string;
}

/** A query that finds no free connection fails after this, rather than wait with its caller for ever. */
const longestWait = 5_000;

/**
 * Postgres for a service that does without Prisma, whose engine takes a third of a second of every start. Not
 * ready until the applied migrations fit this code and while Postgres is away; `start` fails at once on what
 * waiting cannot repair, and after `patience` milliseconds on what it might.
 */
export function createPostgres(options: PostgresOptions): Postgres {
  const { url, poolSize, log, patience = 6_000, answerWithin = 10_000, plansAnew } = options;
  const watch = watchPostgres({ url, patience, log });
  const pool = new pg.Pool({
    connectionString: url,
    max: poolSize,
    connectionTimeoutMillis: longestWait,
    query_timeout: answerWithin,
    keepAlive: true,
    idleTimeoutMillis: 60_000,
    onConnect: inUtc,
  });
  // An idle connection that breaks is replaced by the pool; `watch` tells of a Postgres that is away.
  pool.on('error', () => {});
  const nameOf = plansAnew ? () => '' : statementNames(url);

  return {
    name: 'database',
    dependency: watch.dependency,
    pool,
    query: createQuery(pool, nameOf),
    nameOf,
    notReady: () => watch.notReady(),
    start: () => watch.start(),
    async stop() {
      await watch.stop();
      await pool.end();
    },
  };
}

/** Times are read and written without an offset: answers show them as UTC, and Prisma drops it. */
async function inUtc(client: pg.ClientBase): Promise<void> {
  await client.query("SET TIME ZONE 'UTC'");
}
