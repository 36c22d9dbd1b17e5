import { readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

/** Lie beside `src` and `dist`, so that both find them. */
export const schemaFile = fileURLToPath(new URL('../../prisma/schema.prisma', import.meta.url));
export const migrationsFolder = fileURLToPath(new URL('../../prisma/migrations', import.meta.url));

export const migrationFile = (folder: string, name: string): string => `${folder}/${name}/migration.sql`;

/** The names of a folder's migrations, oldest first: without another, those that this code was written for. */
export async function knownMigrations(folder = migrationsFolder): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
}
