import { readFile } from 'node:fs/promises';
import type { MigrationList } from '@prisma/schema-engine-wasm/schema_engine_bg';
import { migrationFile } from './known-migrations.ts';

/** The migrations of a folder, in the shape in which the engine wants them. */
export async function migrationsList(folder: string, names: readonly string[]): Promise<MigrationList> {
  return {
    baseDir: folder,
    lockfile: {
      path: 'migration_lock.toml',
      content: await readFile(`${folder}/migration_lock.toml`, 'utf8'),
    },
    shadowDbInitScript: '',
    migrationDirectories: await Promise.all(
      names.map(async (name) => ({
        path: name,
        migrationFile: {
          path: 'migration.sql',
          content: { tag: 'ok' as const, value: await readFile(migrationFile(folder, name), 'utf8') },
        },
      })),
    ),
  };
}
