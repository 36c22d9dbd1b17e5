import type { Part } from '@expert-relay/kit/lifecycle';
import type { Log } from '@expert-relay/kit/log';
import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { PrismaClient } from '../generated/client.ts';
import { createQuery, type Query } from './create-query.ts';
import { statementNames } from './statement-names.ts';
import { watchPostgres } from './watch-postgres.ts';

export interface Database extends Part {
  readonly prisma: PrismaClient;
  readonly query: Query;
}

/** A query that finds no free connection fails after this, rather than wait with its caller for ever. */
const longestWait = 5_000;

/**
 * Postgres for a service. Not ready until the applied migrations fit this code and while Postgres is away;
 * `start` fails at once on what waiting cannot mend, and after `patience` milliseconds on what it might.
 */
export function createDatabase(options: {
  url: string;
  poolSize: number;
  log: Log;
  patience?: number;
  /** A statement that is not answered by then fails, and its connection is given up: the network swallowed it. */
  answerWithin?: number;
}): Database {
  const { url, poolSize, log, patience = 6_000, answerWithin = 10_000 } = options;
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
  const nameOf = statementNames(url);
  const prisma = new PrismaClient({
    adapter: new PrismaPg(pool, { statementNameGenerator: ({ sql }) => nameOf(sql) }),
  });

  return {
    prisma,
    query: createQuery(pool, nameOf),
    name: 'database',
    notReady: () => watch.notReady(),
    async start() {
      await watch.start();
      // Prisma's first query loads its compiler: better now than under the first caller. Should Postgres
      // have gone away meanwhile, `watch` says so.
      await prisma.$queryRaw`SELECT 1`.catch(() => {});
    },
    async stop() {
      await watch.stop();
      await prisma.$disconnect();
      await pool.end();
    },
  };
}

/** Prisma's adapter drops the offset of every time that it reads, and writes times without one. */
async function inUtc(client: pg.ClientBase): Promise<void> {
  await client.query("SET TIME ZONE 'UTC'");
}
