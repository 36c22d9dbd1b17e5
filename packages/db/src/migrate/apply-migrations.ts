import { readFile } from 'node:fs/promises';
import { knownMigrations, schemaFile } from './known-migrations.ts';
import { migrationsList } from './migrations-list.ts';
import { everything, type SchemaEngine, withSchemaEngine } from './schema-engine.ts';

export interface Mend {
  /** The failed migration's changes are in the database, or they are not. */
  readonly as: 'applied' | 'rolled-back';
  readonly migration: string;
}

/** Hands the folder's migrations to the engine, which applies those that are missing. */
export async function applyMigrations(url: string, folder: string): Promise<void> {
  const list = await migrationsList(folder, await knownMigrations(folder));
  await withEngine(url, async (engine) => {
    await engine.applyMigrations({ migrationsList: list, filters: everything });
  });
}

/** Records what an operator found out about a migration that failed. */
export async function mendMigration(url: string, folder: string, mend: Mend): Promise<void> {
  const list = await migrationsList(folder, await knownMigrations(folder));
  await withEngine(url, async (engine) => {
    if (mend.as === 'rolled-back') await engine.markMigrationRolledBack({ migrationName: mend.migration });
    else await engine.markMigrationApplied({ migrationName: mend.migration, migrationsList: list });
  });
}

async function withEngine<T>(url: string, use: (engine: SchemaEngine) => Promise<T>): Promise<T> {
  const content = await readFile(schemaFile, 'utf8');
  return await withSchemaEngine(url, { path: schemaFile, content }, use);
}
