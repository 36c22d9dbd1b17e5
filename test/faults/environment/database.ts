import { eventually } from '@expert-relay/testkit';
import pg from 'pg';

/** A connection to Postgres without a proxy, so that faults do not affect it. */
export interface Database {
  query<T>(text: string, values?: readonly unknown[]): Promise<T[]>;
  /** Repeats a query until the first column of the first row is true, also while Postgres is down. */
  waitUntil(what: string, text: string, options: { timeoutMs: number }): Promise<void>;
  close(): Promise<void>;
}

export function openDatabase(url: string): Database {
  const pool = new pg.Pool({ connectionString: url, max: 4, connectionTimeoutMillis: 5_000 });
  // Faults kill Postgres; the next query connects again.
  pool.on('error', () => {});

  async function query<T>(text: string, values: readonly unknown[] = []): Promise<T[]> {
    return (await pool.query(text, [...values])).rows as T[];
  }

  return {
    query,
    async waitUntil(what, text, { timeoutMs }) {
      const isTrue = async () => {
        const [row] = await query<Record<string, unknown>>(text).catch(() => []);
        return Object.values(row ?? {})[0] === true;
      };
      await eventually(what, isTrue, { timeoutMs });
    },
    close: () => pool.end(),
  };
}
