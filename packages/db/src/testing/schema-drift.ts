import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { schemaFile } from '../migrate/known-migrations.ts';
import { everything, withSchemaEngine } from '../migrate/schema-engine.ts';

/**
 * The SQL that would bring a migrated database to `schema.prisma`; `undefined` when they agree. What the
 * schema cannot say (checks, the conditions of partial indexes) is not compared.
 */
export async function schemaDrift(url: string, content?: string): Promise<string | undefined> {
  const schema = { path: schemaFile, content: content ?? (await readFile(schemaFile, 'utf8')) };
  return await withSchemaEngine(url, schema, async (engine) => {
    const { exitCode, stdout } = await engine.diff({
      from: { tag: 'schemaDatasource', files: [schema], configDir: dirname(schemaFile) },
      to: { tag: 'schemaDatamodel', files: [schema] },
      script: true,
      exitCode: true,
      filters: everything,
    });
    return exitCode === 0 ? undefined : (stdout ?? 'unknown');
  });
}
