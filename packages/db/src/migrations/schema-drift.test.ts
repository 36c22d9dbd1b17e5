import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { connectOnce } from '../postgres/connect.ts';
import { createTestDatabase, type TestDatabase } from '../testing/create-test-database.ts';
import { diagnoseMigrations, schemaDrift } from '../testing/schema-engine.ts';
import { knownMigrations, migrationsFolder, schemaFile } from './migration-files.ts';

describe('schema.prisma and the migrations', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase(process.env.DATABASE_URL ?? '');
  });
  afterAll(() => database.drop());

  test('agree', async () => {
    const drift = await schemaDrift(database.url);
    if (drift) {
      throw new Error(
        'packages/db/prisma/schema.prisma and the migrations beside it disagree. If the schema is right, add ' +
          `a migration, prisma/migrations/<yyyymmddhhmmss>_<what_it_does>/migration.sql, with this:\n\n${drift}`,
      );
    }
  });

  test.each([
    [
      'a new column',
      'email     String?',
      'email String?\n nickname String?',
      'ADD COLUMN     "nickname" TEXT',
    ],
    ['a column that was removed', '  email     String?\n', '', 'DROP COLUMN "email"'],
    ['a new index', '@@map("identities")', '@@index([subject])\n @@map("identities")', 'CREATE INDEX'],
    ['another value of an enum', '  responded\n', '  responded\n  paused\n', "ADD VALUE 'paused'"],
    ['a renamed partial index', 'outbox_events_failed_idx', 'outbox_events_lost_idx', 'RENAME TO'],
  ])('are found to disagree about %s', async (_, before, after, sql) => {
    const schema = await readFile(schemaFile, 'utf8');
    expect(schema).toContain(before);
    expect(await schemaDrift(database.url, schema.replace(before, after))).toContain(sql);
  });

  test('are recorded as `prisma migrate` expects, with its checksums', async () => {
    const diagnosis = await diagnoseMigrations(database.url, migrationsFolder, await knownMigrations());
    expect(diagnosis).toMatchObject({
      editedMigrationNames: [],
      failedMigrationNames: [],
      hasMigrationsTable: true,
    });
    expect(diagnosis.history ?? null).toBeNull();
  });

  test('a migration that was edited later is found by its checksum', async () => {
    const [first = '', ...others] = await knownMigrations();
    await using edited = await createTestDatabase(process.env.DATABASE_URL ?? '');
    const client = await connectOnce(edited.url);
    await client.query(`UPDATE _prisma_migrations SET checksum = repeat('0', 64) WHERE migration_name = $1`, [
      first,
    ]);
    await client.end();
    const { editedMigrationNames } = await diagnoseMigrations(edited.url, migrationsFolder, [
      first,
      ...others,
    ]);
    expect(editedMigrationNames).toEqual([first]);
  });
});
