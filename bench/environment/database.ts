import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';

export interface Database {
  readonly url: string;
  query<T>(text: string, values?: readonly unknown[]): Promise<T[]>;
  /** Waits until all events are published, so that one run does not slow down the next. */
  waitUntilPublished(): Promise<void>;
  /** Waits until a process is the outbox leader. */
  waitForOutboxLeader(): Promise<void>;
  close(): Promise<void>;
}

const unpublished = 'SELECT 1 FROM outbox_events WHERE published_at IS NULL AND failed_at IS NULL LIMIT 1';
const leader = `SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND granted`;
const timeoutMs = 60_000;

export async function openDatabase(url: string): Promise<Database> {
  const client = new pg.Client({ connectionString: url });
  // The next query reports a broken connection. At the end the server may stop before the client.
  client.on('error', () => undefined);
  await client.connect();

  async function waitFor(text: string, found: boolean, failure: string): Promise<void> {
    const deadline = Date.now() + timeoutMs;
    while ((await client.query(text)).rows.length > 0 !== found) {
      if (Date.now() > deadline) throw new Error(`${failure} within ${timeoutMs / 1000} s`);
      await pause(50);
    }
  }

  return {
    url,
    async query<T>(text: string, values: readonly unknown[] = []) {
      return (await client.query(text, [...values])).rows as T[];
    },
    waitUntilPublished: () => waitFor(unpublished, false, 'the events of the outbox were not published'),
    waitForOutboxLeader: () => waitFor(leader, true, 'no process became the outbox leader'),
    close: () => client.end(),
  };
}
