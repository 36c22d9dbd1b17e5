import { eventually } from '@expert-relay/testkit';
import pg from 'pg';

/** The harness's own eyes on Postgres, past all cables. */
export interface Database {
  query<T>(text: string, values?: readonly unknown[]): Promise<T[]>;
  /** Asks again and again, also while Postgres is away, until the first column of the first row is true. */
  until(what: string, text: string, options: { within: number }): Promise<void>;
  close(): Promise<void>;
}

export function openDatabase(url: string): Database {
  const pool = new pg.Pool({ connectionString: url, max: 4, connectionTimeoutMillis: 5_000 });
  // Postgres is killed now and then; whoever asks next connects anew.
  pool.on('error', () => {});

  async function query<T>(text: string, values: readonly unknown[] = []): Promise<T[]> {
    return (await pool.query(text, [...values])).rows as T[];
  }

  return {
    query,
    async until(what, text, { within }) {
      const holds = async () => {
        const [row] = await query<Record<string, unknown>>(text).catch(() => []);
        return Object.values(row ?? {})[0] === true;
      };
      await eventually(what, holds, { within });
    },
    close: () => pool.end(),
  };
}
