import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type pg from 'pg';
import { connectOnce } from '../postgres/connect.ts';
import { createTestDatabase, type TestDatabase } from '../testing/create-test-database.ts';
import { deletePublished, requeueLost } from './published-rows.ts';

describe('published rows', () => {
  let database: TestDatabase;
  let client: pg.Client;

  beforeAll(async () => {
    database = await createTestDatabase(process.env.DATABASE_URL ?? '');
    client = await connectOnce(database.url, { pipeline: true });
    // The leader's session has a shorter one, which a paused machine would reach.
    await client.query(`SET statement_timeout = '61s'`);
  });
  afterAll(async () => {
    await client.end();
    await database.drop();
  });
  beforeEach(async () => {
    await client.query(`
      TRUNCATE outbox_events;
      INSERT INTO outbox_events (type, payload, user_id, seq, published_at, stream_seq, stream_created_at)
      SELECT 'new_message', '', gen_random_uuid(), seq, now() - interval '11 minutes' + seq * interval '1 second', seq, 'then'
      FROM generate_series(1, 100) AS seq`);
  });

  const count = async (condition: string) => {
    const { rowCount } = await client.query(`SELECT FROM outbox_events WHERE ${condition}`);
    return rowCount;
  };

  /** Its own limit is a second, which a paused machine reaches, too: then it has deleted nothing. */
  async function deleteInTime(
    ...args: Parameters<typeof deletePublished>
  ): ReturnType<typeof deletePublished> {
    let outcome = await deletePublished(...args);
    for (let tries = 1; outcome === 'timeout' && tries < 10; tries++)
      outcome = await deletePublished(...args);
    return outcome;
  }

  test('are deleted only when they are old and the stream has them', async () => {
    expect(await deleteInTime(client, { createdAt: 'then', lastSeq: 40 }, 600_000)).toBe('done');
    expect(await count('TRUE')).toBe(60);
    await deleteInTime(client, { createdAt: 'then', lastSeq: 100 }, 600_000);
    expect(await count('TRUE')).toBe(40);
    await deleteInTime(client, { createdAt: 'now', lastSeq: 100 }, 0);
    expect(await count('TRUE')).toBe(40);
  });

  test('are deleted in batches', async () => {
    await client.query(`
      INSERT INTO outbox_events (type, payload, user_id, published_at, stream_seq, stream_created_at)
      SELECT 'new_message', '', gen_random_uuid(), now() - interval '1 hour', seq, 'then' FROM generate_series(101, 2100) AS seq`);
    expect(await deleteInTime(client, { createdAt: 'then', lastSeq: 5_000 }, 600_000)).toBe('more');
    expect(await deleteInTime(client, { createdAt: 'then', lastSeq: 5_000 }, 600_000)).toBe('done');
    expect(await count('TRUE')).toBe(40);
  });

  test('wait again when they are beyond the end of the stream', async () => {
    expect(await requeueLost(client, { createdAt: 'then', lastSeq: 90 })).toBe(10);
    expect(await count('published_at IS NULL AND seq > 90')).toBe(10);
    expect(await requeueLost(client, { createdAt: 'then', lastSeq: 90 })).toBe(0);
  });

  test('that wait again are on the disk of Postgres before they are published', async () => {
    await client.query('SET synchronous_commit = off');
    const { rows: before } = await client.query('SELECT pg_current_wal_insert_lsn() AS lsn');
    await requeueLost(client, { createdAt: 'then', lastSeq: 90 });
    const { rows: after } = await client.query('SELECT pg_current_wal_flush_lsn() > $1 AS "isOnDisk"', [
      before[0].lsn,
    ]);
    await client.query('RESET synchronous_commit');
    expect(after[0].isOnDisk).toBe(true);
  });

  test('all wait again when the stream was created again', async () => {
    await client.query(`
      INSERT INTO outbox_events (type, payload, user_id, published_at, stream_seq, stream_created_at)
      SELECT 'new_message', '', gen_random_uuid(), now(), seq, 'then' FROM generate_series(101, 5000) AS seq`);
    expect(await requeueLost(client, { createdAt: 'now', lastSeq: 10_000 })).toBe(5_000);
    expect(await count('published_at IS NULL AND stream_seq IS NULL AND stream_created_at IS NULL')).toBe(
      5_000,
    );
  });

  test('stay when deleting them takes more than a second, and the connection still works', async () => {
    await using other = await rowLock();
    expect(await deletePublished(client, { createdAt: 'then', lastSeq: 100 }, 600_000)).toBe('timeout');
    const { rows } = await client.query('SHOW statement_timeout');
    expect(rows).toEqual([{ statement_timeout: '61s' }]);
    await other.release();
    expect(await deleteInTime(client, { createdAt: 'then', lastSeq: 100 }, 600_000)).toBe('done');
    expect(await count('seq = 1')).toBe(0);
  });

  const fill = (rows: number) =>
    client.query(
      `INSERT INTO outbox_events (type, payload, user_id, seq, published_at, stream_seq, stream_created_at)
       SELECT 'new_message', '', gen_random_uuid(), seq, now() - interval '1 minute' + seq * interval '0.1 ms', seq, 'then'
       FROM generate_series(101, $1) AS seq`,
      [rows],
    );

  async function rowsRead(): Promise<{ inTable: number; byIndex: number }> {
    const { rows } = await client.query(`
      SELECT seq_tup_read::int AS "inTable", idx_tup_fetch::int AS "byIndex"
      FROM pg_stat_xact_user_tables WHERE relname = 'outbox_events'`);
    return rows[0];
  }

  test('are not all read when the stream has the newest', async () => {
    await fill(100_000);
    await client.query('ANALYZE outbox_events');
    await client.query('BEGIN');
    // Rows that earlier statements of the session have read may be reported only now.
    const before = await rowsRead();
    expect(await requeueLost(client, { createdAt: 'then', lastSeq: 100_000 })).toBe(0);
    const after = await rowsRead();
    await client.query('COMMIT');
    // A few rows of a limited query may come from the table itself: that depends on the sample of `ANALYZE`.
    expect(after.inTable - before.inTable).toBeLessThan(1_000);
    expect(after.byIndex - before.byIndex).toBeGreaterThan(0);
    expect(after.byIndex - before.byIndex).toBeLessThanOrEqual(25_000);
  });

  test('wait again wherever they are when the stream lacks one of the newest', async () => {
    await fill(30_000);
    await client.query(`
      UPDATE outbox_events SET published_at = now() - interval '1 hour' WHERE seq = 29999;
      UPDATE outbox_events SET published_at = now() WHERE seq <= 10000`);
    expect(await requeueLost(client, { createdAt: 'then', lastSeq: 29_990 })).toBe(10);
    expect(await count('published_at IS NULL AND seq > 29990')).toBe(10);
  });

  test('all wait again when a leader ended in the middle of a requeue', async () => {
    await fill(30_000);
    const stopping = new AbortController();
    const interrupted = requeueLost(client, { createdAt: 'now', lastSeq: 0 }, stopping.signal);
    stopping.abort();
    expect(await interrupted).toBe(2_000);
    expect(await requeueLost(client, { createdAt: 'now', lastSeq: 0 })).toBe(28_000);
    expect(await count('published_at IS NULL')).toBe(30_000);
  });

  /** A transaction that holds one of the rows that are old enough to go. */
  async function rowLock() {
    const holder = await connectOnce(database.url);
    await holder.query('BEGIN');
    await holder.query('SELECT FROM outbox_events WHERE seq = 1 FOR UPDATE');
    let released: Promise<void> | undefined;
    const release = () => {
      released ??= holder.end();
      return released;
    };
    return { release, [Symbol.asyncDispose]: release };
  }
});
