import { PrismaPg } from '@prisma/adapter-pg';
import { PrismaClient } from '../generated/client.ts';
import { createPostgres, type Postgres, type PostgresOptions } from './create-postgres.ts';

export interface Database extends Postgres {
  readonly prisma: PrismaClient;
}

/** Postgres with Prisma over the same connections, for services that use its model API. */
export function createDatabase(options: PostgresOptions): Database {
  const postgres = createPostgres(options);
  const statementNameGenerator = ({ sql }: { sql: string }) => postgres.nameOf(sql);
  const prisma = new PrismaClient({ adapter: new PrismaPg(postgres.pool, { statementNameGenerator }) });

  return {
    ...postgres,
    prisma,
    async stop() {
      await prisma.$disconnect();
      await postgres.stop();
    },
  };
}
