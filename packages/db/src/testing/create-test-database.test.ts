import { describe, expect, test } from '@jest/globals';
import { knownMigrations } from '../migrations/migration-files.ts';
import { connectOnce } from '../postgres/connect.ts';
import { createTestDatabase } from './create-test-database.ts';

const server = process.env.DATABASE_URL ?? '';

describe('createTestDatabase', () => {
  test('creates migrated databases that are independent of each other', async () => {
    await using one = await createTestDatabase(server);
    await using other = await createTestDatabase(server);
    const client = await connectOnce(one.url);
    await client.query(`INSERT INTO users (name) VALUES ('Ada')`);
    await client.end();
    expect(await count(one.url, 'users')).toBe(1);
    expect(await count(other.url, 'users')).toBe(0);
    expect(await count(other.url, '_prisma_migrations')).toBe((await knownMigrations()).length);
  });

  test('creates several at once', async () => {
    const databases = await Promise.all(Array.from({ length: 5 }, () => createTestDatabase(server)));
    expect(new Set(databases.map(({ url }) => url)).size).toBe(5);
    await Promise.all(databases.map((database) => database.drop()));
  });

  test('drops a database that has connections', async () => {
    const database = await createTestDatabase(server);
    const client = await connectOnce(database.url);
    const ended = new Promise((resolve) => client.once('end', resolve));
    await database.drop();
    await ended;
    await expect(connectOnce(database.url)).rejects.toThrow('does not exist');
  });
});

async function count(url: string, table: string): Promise<number> {
  const client = await connectOnce(url);
  const { rows } = await client.query<{ count: number }>(`SELECT count(*)::int AS count FROM ${table}`);
  await client.end();
  return rows[0]?.count ?? -1;
}
