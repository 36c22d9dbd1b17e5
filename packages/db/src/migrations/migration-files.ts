import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

// The folder is beside `src` and `dist`, and so has the same path from both.
export const schemaFile = fileURLToPath(new URL('../../prisma/schema.prisma', import.meta.url));
export const migrationsFolder = fileURLToPath(new URL('../../prisma/migrations', import.meta.url));

export interface Migration {
  readonly name: string;
  readonly script: string;
  /** As Prisma computes it. */
  readonly checksum: string;
}

/** The names of a folder's migrations, oldest first; by default those of this release. */
export async function knownMigrations(folder = migrationsFolder): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
}

export async function readMigration(folder: string, name: string): Promise<Migration> {
  const script = await readFile(`${folder}/${name}/migration.sql`, 'utf8');
  return { name, script, checksum: createHash('sha256').update(script).digest('hex') };
}
