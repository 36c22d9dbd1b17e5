import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { PrismaPg } from '@prisma/adapter-pg';
import {
  bindMigrationAwareSqlAdapterFactory,
  ColumnTypeEnum,
  type SqlMigrationAwareDriverAdapterFactory,
} from '@prisma/driver-adapter-utils';
import * as engine from '@prisma/schema-engine-wasm/schema_engine_bg';
import pg from 'pg';
import { schemaFile } from '../migrations/migration-files.ts';

/** The part that is used here: the types of Node do not contain it. */
declare const WebAssembly: {
  instantiate(bytes: Uint8Array, imports: object): Promise<{ instance: { exports: object } }>;
};

/** Excludes no table and no enum. */
const filters = { externalTables: [], externalEnums: [] };

/**
 * The SQL that would bring a migrated database to `schema.prisma`; `undefined` when they agree. What the
 * schema cannot express (checks, the conditions of partial indexes) is not compared.
 */
export async function schemaDrift(url: string, content?: string): Promise<string | undefined> {
  const schema = { path: schemaFile, content: content ?? (await readFile(schemaFile, 'utf8')) };
  return await withSchemaEngine(url, schema, async (engine) => {
    const { exitCode, stdout } = await engine.diff({
      from: { tag: 'schemaDatasource', files: [schema], configDir: dirname(schemaFile) },
      to: { tag: 'schemaDatamodel', files: [schema] },
      script: true,
      exitCode: true,
      filters,
    });
    return exitCode === 0 ? undefined : (stdout ?? 'unknown');
  });
}

/** The diagnosis of `prisma migrate` for a database and a folder of migrations. */
export async function diagnoseMigrations(url: string, folder: string, names: readonly string[]) {
  const schema = { path: schemaFile, content: await readFile(schemaFile, 'utf8') };
  const readScript = (name: string) => readFile(`${folder}/${name}/migration.sql`, 'utf8');
  const migrationsList = {
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
          content: { tag: 'ok' as const, value: await readScript(name) },
        },
      })),
    ),
  };
  return await withSchemaEngine(url, schema, (engine) =>
    engine.diagnoseMigrationHistory({ migrationsList, optInToShadowDatabase: false, filters }),
  );
}

let loaded: Promise<void> | undefined;

/** Prisma's migration engine in its WebAssembly build, since Prisma's command would download a binary. */
async function withSchemaEngine<T>(
  url: string,
  schema: { path: string; content: string },
  use: (engine: engine.SchemaEngine) => Promise<T>,
): Promise<T> {
  loaded ??= load();
  await loaded;
  const pool = new pg.Pool({ connectionString: url, max: 2 });
  try {
    const adapter = bindMigrationAwareSqlAdapterFactory(engineAdapter(pool));
    const ignoreLog = () => {};
    return await use(
      await engine.SchemaEngine.new({ datamodels: [[schema.path, schema.content]] }, ignoreLog, adapter),
    );
  } finally {
    await pool.end();
  }
}

/** The package's entry point needs a bundler that supports WebAssembly, so its parts are connected here. */
async function load(): Promise<void> {
  const file = createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm/schema_engine_bg');
  const bytes = await readFile(file.replace(/\.js$/, '.wasm'));
  const imports = { ...engine, ...unreferencedTimers(engine) };
  const { instance } = await WebAssembly.instantiate(bytes, { './schema_engine_bg.js': imports });
  const exports = instance.exports as { __wbindgen_start(): void };
  const { __wbg_set_wasm } = engine as unknown as { __wbg_set_wasm(exports: object): void };
  __wbg_set_wasm(exports);
  exports.__wbindgen_start();
}

/** The engine's timers run ten seconds longer than its work; they must not keep the process alive. */
function unreferencedTimers(parts: object): object {
  const names = Object.keys(parts).filter((name) => name.startsWith('__wbg_setTimeout_'));
  const start = (callback: () => void, milliseconds: number) => setTimeout(callback, milliseconds).unref();
  return Object.fromEntries(names.map((name) => [name, start]));
}

const charOid = 18;
const textOid = 25;

/**
 * The catalogs that the engine reads have columns of type "char", which Prisma's adapter refuses. It gets them as
 * texts, and the engine gets the true type.
 */
function engineAdapter(pool: pg.Pool): SqlMigrationAwareDriverAdapterFactory {
  const charColumns = new WeakMap<object, number[]>();
  const query = pool.query.bind(pool) as (config: pg.QueryConfig) => Promise<pg.QueryResult>;
  const queryAsText = async (config: pg.QueryConfig) => {
    const result = await query(config);
    const indexes: number[] = [];
    for (const [index, field] of (result.fields ?? []).entries()) {
      if (field.dataTypeID !== charOid) continue;
      field.dataTypeID = textOid;
      indexes.push(index);
    }
    if (indexes.length > 0) charColumns.set(result.rows, indexes);
    return result;
  };
  pool.query = queryAsText as typeof pool.query;

  const factory = new PrismaPg(pool);
  const connect = factory.connect.bind(factory);
  factory.connect = async () => {
    const adapter = await connect();
    const queryRaw = adapter.queryRaw.bind(adapter);
    adapter.queryRaw = async (sql) => {
      const result = await queryRaw(sql);
      for (const index of charColumns.get(result.rows) ?? [])
        result.columnTypes[index] = ColumnTypeEnum.Character;
      return result;
    };
    return adapter;
  };
  return factory;
}
