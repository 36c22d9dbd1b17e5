import { randomUUID } from 'node:crypto';
import { createLog } from '@expert-relay/kit/log';
import { createDatabase, type Database } from '../database/create-database.ts';
import type { PrismaClient } from '../generated/client.ts';
import { createTestDatabase } from './create-test-database.ts';

export interface OpenDatabase extends Database {
  readonly url: string;
  /** Closes the connections and drops the database. */
  stop(): Promise<void>;
}

/** Limits that a Postgres that responds late on a busy machine does not reach. */
export const patient = { patience: 60_000, statementTimeoutMs: 60_000, poolTimeoutMs: 60_000 } as const;

/** A migrated database for one test file, on the server of DATABASE_URL, with a client. */
export async function openTestDatabase({ poolSize = 4 } = {}): Promise<OpenDatabase> {
  const { url, drop } = await createTestDatabase(process.env.DATABASE_URL ?? '');
  const database = createDatabase({ url, poolSize, log: createLog('test', { level: 'silent' }), ...patient });
  await database.start?.();
  return {
    ...database,
    url,
    async stop() {
      await database.stop?.();
      await drop();
    },
  };
}

/** A user with one consumer key. */
export async function makeConsumer(prisma: PrismaClient): Promise<{ userId: string; apiKeyId: string }> {
  const { userId, id: apiKeyId } = await prisma.apiKey.create({
    data: {
      kind: 'consumer',
      name: 'a key',
      lastFour: 'abcd',
      callId: randomUUID(),
      user: { create: { name: 'ada' } },
    },
  });
  return { userId, apiKeyId };
}
