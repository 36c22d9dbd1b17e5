import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';

export interface Database {
  readonly url: string;
  query<T>(text: string, values?: readonly unknown[]): Promise<T[]>;
  /** Waits until no event waits to be published any more: what one run caused must not burden the next. */
  settled(): Promise<void>;
  /** Waits until some process leads the outbox. */
  led(): Promise<void>;
  close(): Promise<void>;
}

const waiting = 'SELECT 1 FROM outbox_events WHERE published_at IS NULL LIMIT 1';
const leading = `SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND granted`;
const longestWait = 60_000;

export async function openDatabase(url: string): Promise<Database> {
  const client = new pg.Client({ connectionString: url });
  // Whoever asks next hears of it; at the end the server may be the first to go.
  client.on('error', () => undefined);
  await client.connect();

  async function until(text: string, found: boolean, what: string): Promise<void> {
    const deadline = Date.now() + longestWait;
    while ((await client.query(text)).rows.length > 0 !== found) {
      if (Date.now() > deadline) throw new Error(`${what} within ${longestWait / 1000} s`);
      await pause(50);
    }
  }

  return {
    url,
    async query<T>(text: string, values: readonly unknown[] = []) {
      return (await client.query(text, [...values])).rows as T[];
    },
    settled: () => until(waiting, false, 'the outbox was not empty'),
    led: () => until(leading, true, 'no process led the outbox'),
    close: () => client.end(),
  };
}
