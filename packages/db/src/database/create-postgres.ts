import type { Part } from '@expert-relay/kit/lifecycle';
import type { Log } from '@expert-relay/kit/log';
import pg from 'pg';
import { isOutage } from '../postgres/failures.ts';
import { createQuery, type Query, statementNames } from '../postgres/query.ts';
import { watchPostgres } from './watch-postgres.ts';

export interface PostgresOptions {
  url: string;
  poolSize: number;
  log: Log;
  /** How long `start` waits for a Postgres that is away, in milliseconds. */
  patience?: number;
  /** A statement that is not answered after this time fails, and its connection is closed. */
  statementTimeoutMs?: number;
  /** A query that gets no free connection after this time fails. */
  poolTimeoutMs?: number;
  /**
   * Plans each statement again, and parses it once. For tables that may be empty when a statement is first planned: a plan that
   * is kept would read the whole table until its next vacuum.
   */
  plansEachTime?: boolean;
}

export interface Postgres extends Required<Omit<Part, 'drain' | 'acceptance'>> {
  readonly pool: pg.Pool;
  readonly query: Query;
  /** The name of a prepared statement. */
  readonly nameOf: (text: string) => string;
  /** Runs statements in one transaction, which is rolled back when `work` throws. */
  readonly transact: <T>(work: (query: Query) => Promise<T>) => Promise<T>;
}

/**
 * Postgres for a service that does not use Prisma, whose engine adds a third of a second to its first query. It is not
 * ready while Postgres is away or lacks migrations. `start` fails at once when waiting cannot help, and otherwise
 * after `patience` milliseconds.
 */
export function createPostgres(options: PostgresOptions): Postgres {
  const {
    url,
    poolSize,
    log,
    patience = 6_000,
    statementTimeoutMs = 10_000,
    poolTimeoutMs = 5_000,
  } = options;
  const watch = watchPostgres({ url, patience, log });
  const pool = new pg.Pool({
    connectionString: url,
    max: poolSize,
    connectionTimeoutMillis: poolTimeoutMs,
    query_timeout: statementTimeoutMs,
    keepAlive: true,
    idleTimeoutMillis: 60_000,
    onConnect: (client) => setUp(client, options),
  });
  // The pool replaces an idle connection that breaks; `watch` reports a Postgres that is away.
  pool.on('error', () => {});
  const nameOf = statementNames(url);

  return {
    name: 'database',
    dependency: watch.dependency,
    pool,
    query: createQuery(pool, nameOf),
    nameOf,
    transact: (work) => transact(pool, (client) => work(createQuery(client, nameOf))),
    notReady: () => watch.notReady(),
    start: () => watch.start(),
    async stop() {
      await watch.stop();
      await pool.end();
    },
  };
}

async function transact<T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  // A connection that breaks between two statements must not end the process: the next statement fails.
  const ignore = () => {};
  client.on('error', ignore);
  let isReusable = true;
  try {
    await client.query('BEGIN');
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  } catch (error) {
    // A refusal keeps its connection, since a new one costs Postgres a process. After an outage, ROLLBACK would wait too.
    isReusable = !isOutage(error) && (await rollBack(client));
    throw error;
  } finally {
    // A connection whose transaction may still be open is closed, which rolls it back.
    client.release(!isReusable);
    if (isReusable) client.off('error', ignore);
  }
}

const rollBack = (client: pg.PoolClient): Promise<boolean> =>
  client.query('ROLLBACK').then(
    () => true,
    () => false,
  );

/** Responses show times in UTC, and Prisma ignores their offset. */
async function setUp(
  client: pg.ClientBase,
  { plansEachTime = false }: Pick<PostgresOptions, 'plansEachTime'>,
): Promise<void> {
  await client.query("SET TIME ZONE 'UTC'");
  if (plansEachTime) await client.query('SET plan_cache_mode = force_custom_plan');
}
