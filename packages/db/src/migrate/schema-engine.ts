import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils';
import * as engine from '@prisma/schema-engine-wasm/schema_engine_bg';
import pg from 'pg';
import { engineAdapter } from './engine-adapter.ts';

/** As far as it is used here: Node's types leave it to the DOM's. */
declare const WebAssembly: {
  instantiate(bytes: Uint8Array, imports: object): Promise<{ instance: { exports: object } }>;
};

export type SchemaEngine = engine.SchemaEngine;

/** Leaves no table and no enum out. */
export const everything = { externalTables: [], externalEnums: [] };

let loaded: Promise<void> | undefined;

/**
 * Hands over Prisma's own migration engine in its WebAssembly build: an ordinary pinned package,
 * where the CLI would download a binary.
 */
export async function withSchemaEngine<T>(
  url: string,
  schema: { path: string; content: string },
  use: (engine: SchemaEngine) => Promise<T>,
): Promise<T> {
  loaded ??= load();
  await loaded;
  const pool = new pg.Pool({ connectionString: url, max: 2 });
  // A connection that breaks fails its queries instead of the process.
  pool.on('error', () => {});
  pool.on('connect', (connection) => connection.on('error', () => {}));
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

/** The package's entry point needs a bundler that knows WebAssembly, so its parts are joined here. */
async function load(): Promise<void> {
  const file = createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm/schema_engine_bg');
  const bytes = await readFile(file.replace(/\.js$/, '.wasm'));
  const imports = { ...engine, ...idleTimers(engine) };
  const { instance } = await WebAssembly.instantiate(bytes, { './schema_engine_bg.js': imports });
  const exports = instance.exports as { __wbindgen_start(): void };
  const { __wbg_set_wasm } = engine as unknown as { __wbg_set_wasm(exports: object): void };
  __wbg_set_wasm(exports);
  exports.__wbindgen_start();
}

/** The engine's deadlines outlive its work by ten seconds; they must not keep the process alive. */
function idleTimers(parts: object): object {
  const names = Object.keys(parts).filter((name) => name.startsWith('__wbg_setTimeout_'));
  const start = (callback: () => void, milliseconds: number) => setTimeout(callback, milliseconds).unref();
  return Object.fromEntries(names.map((name) => [name, start]));
}
