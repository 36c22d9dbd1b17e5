import { PrismaPg } from '@prisma/adapter-pg';
import {
  ColumnTypeEnum,
  DriverAdapterError,
  type SqlMigrationAwareDriverAdapterFactory,
} from '@prisma/driver-adapter-utils';
import pg from 'pg';
import { lockedOutReason } from './applied-migrations.ts';

/**
 * Whoever comes after a statement that waits for a table waits behind it, in milliseconds. Longer than the second
 * after which Postgres' own vacuum gives way.
 */
const lockTimeout = 2_000;
const lockNotAvailable = '55P03';
/** Nobody waits behind these, and given up they leave half an index. */
const waitsAside = /\bINDEX CONCURRENTLY\b/i;

const charOid = 18;
const textOid = 25;

/** Prisma's Postgres adapter, mended in two places so that the migration engine can rely on it. */
export function engineAdapter(pool: pg.Pool): SqlMigrationAwareDriverAdapterFactory {
  const charColumns = noteCharColumns(pool);
  const factory = new PrismaPg(pool);
  const connect = factory.connect.bind(factory);
  factory.connect = async () => {
    const adapter = await connect();
    // The adapter splits a script at every semicolon, in comments and strings too. Sent whole, it is
    // parsed by Postgres and runs in one implicit transaction: a migration applies or it does not.
    adapter.executeScript = (script) => runScript(pool, script);
    const queryRaw = adapter.queryRaw.bind(adapter);
    adapter.queryRaw = async (query) => {
      const result = await queryRaw(query);
      for (const index of charColumns(result.rows)) result.columnTypes[index] = ColumnTypeEnum.Character;
      return result;
    };
    return adapter;
  };
  return factory;
}

async function runScript(pool: pg.Pool, script: string): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query(`SET lock_timeout = ${waitsAside.test(script) ? 0 : lockTimeout}`);
    await client.query(script);
  } catch (error) {
    if (!(error instanceof pg.DatabaseError)) throw error;
    const { code = 'XX000', severity = 'ERROR', detail, column, hint } = error;
    const message = code === lockNotAvailable ? lockedOutReason : error.message;
    throw new DriverAdapterError({ kind: 'postgres', code, severity, message, detail, column, hint });
  } finally {
    client.release();
  }
}

/**
 * The catalogs that the engine reads have columns of type "char", which the adapter refuses. It is
 * told that they are text; the engine gets the true type back.
 */
function noteCharColumns(pool: pg.Pool): (rows: object) => readonly number[] {
  const noted = new WeakMap<object, number[]>();
  const query = pool.query.bind(pool) as (config: pg.QueryConfig) => Promise<pg.QueryResult>;
  const queryAsText = async (config: pg.QueryConfig) => {
    const result = await query(config);
    const indexes: number[] = [];
    for (const [index, field] of (result.fields ?? []).entries()) {
      if (field.dataTypeID !== charOid) continue;
      field.dataTypeID = textOid;
      indexes.push(index);
    }
    if (indexes.length > 0) noted.set(result.rows, indexes);
    return result;
  };
  pool.query = queryAsText as typeof pool.query;
  return (rows) => noted.get(rows) ?? [];
}
