import { PrismaPg } from '@prisma/adapter-pg';
import { PrismaClient } from '../generated/client.ts';
import { createPostgres, type Postgres, type PostgresOptions } from './create-postgres.ts';

export interface Database
  extends Pick<Postgres, 'name' | 'dependency' | 'query' | 'notReady' | 'start' | 'stop'> {
  readonly prisma: PrismaClient;
}

/** Postgres with Prisma over the same connections, for services that use its model API. */
export function createDatabase(options: PostgresOptions): Database {
  const postgres = createPostgres(options);
  const { pool, query, nameOf, name, dependency, notReady } = postgres;
  const prisma = new PrismaClient({
    adapter: new PrismaPg(pool, { statementNameGenerator: ({ sql }) => nameOf(sql) }),
  });

  return {
    prisma,
    query,
    name,
    dependency,
    notReady,
    start: postgres.start,
    async stop() {
      await prisma.$disconnect();
      await postgres.stop();
    },
  };
}
