import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type pg from 'pg';
import { connectOnce } from '../postgres/connect.ts';
import { createTestDatabase, type TestDatabase } from '../testing/create-test-database.ts';
import { createLowWatermark, type LowWatermark } from './low-watermark.ts';

let database: TestDatabase;
let leader: pg.Client;
let writer: pg.Client;
let slow: pg.Client;

beforeAll(async () => {
  database = await createTestDatabase(process.env.DATABASE_URL ?? '');
  [leader, writer, slow] = [
    await connectOnce(database.url, { pipeline: true }),
    await connectOnce(database.url),
    await connectOnce(database.url),
  ];
});
afterAll(async () => {
  for (const client of [leader, writer, slow]) await client.end();
  await database.drop();
});

/** Writes as services do: a row is changed first, so that the transaction is known before it draws a position. */
async function write(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ position: number }>(`
    WITH changed AS (INSERT INTO users (name) VALUES ('ada') RETURNING id)
    INSERT INTO outbox_events (type, payload, user_id) SELECT 'new_message', '', id FROM changed
    RETURNING position::float8 AS position`);
  return rows[0]?.position ?? Number.NaN;
}

/** Looks until the transactions have ended that were open at the first look, those of other databases included. */
async function rise(watermark: LowWatermark): Promise<void> {
  do {
    await watermark.update();
    watermark.raise();
  } while (watermark.position === 0);
}

const publishAll = () =>
  writer.query(`
    UPDATE outbox_events SET published_at = now(), stream_seq = 1, stream_epoch = 'now' WHERE published_at IS NULL`);
beforeEach(publishAll);

test('stays below the very first row of a database', async () => {
  const watermark = createLowWatermark(leader);
  for (let round = 0; round < 10; round++) {
    await watermark.update();
    watermark.raise();
    expect(watermark.position).toBe(0);
  }
  const first = await write(writer);
  expect(first).toBe(1);
  await rise(watermark);
  expect(watermark.position).toBe(first);
});

test('stays below a row that is not committed, however long that takes', async () => {
  const watermark = createLowWatermark(leader);
  await slow.query('BEGIN');
  const held = await write(slow);
  const newest = await write(writer);
  expect(newest).toBeGreaterThan(held);
  await publishAll();
  for (let round = 0; round < 3; round++) {
    await watermark.update();
    expect(watermark.position).toBeLessThan(held);
    watermark.raise();
    expect(watermark.position).toBeLessThan(held);
  }

  await slow.query('COMMIT');
  await rise(watermark);
  expect(watermark.position).toBe(newest);
});

test('is raised to the last row that was published, or to all that are settled', async () => {
  const watermark = createLowWatermark(leader);
  const first = await write(writer);
  await write(writer);
  await rise(watermark);
  watermark.raise(first);
  expect(watermark.position).toBe(first);
  watermark.raise();
  expect(watermark.position).toBe(first + 1);
});

test('says nothing about positions that were drawn since it looked', async () => {
  const watermark = createLowWatermark(leader);
  const before = await write(writer);
  await watermark.update();
  const after = await write(writer);
  await rise(watermark);
  watermark.raise(after);
  expect(watermark.position).toBe(before);
});

test.each([1, 7, 1_000, 1_000_000])(
  'a look finds the first row that waits, in slices of %i positions',
  async (slice) => {
    await write(writer);
    await publishAll();
    await writer.query(
      `SELECT setval('outbox_events_position_seq', last_value + 3000) FROM outbox_events_position_seq`,
    );
    const first = await write(writer);
    await write(writer);
    const watermark = createLowWatermark(leader, slice);
    while (!watermark.isKnown) await watermark.update();
    expect(watermark.position).toBe(first - 1);
    await publishAll();
    watermark.reset();
    await watermark.update();
    expect(watermark.position).toBe(first + 1);
  },
);

test('a later look finds a row that an operator lets wait again', async () => {
  const watermark = createLowWatermark(leader);
  const row = await write(writer);
  const newest = await write(writer);
  await publishAll();
  await rise(watermark);
  expect(watermark.position).toBe(newest);
  await writer.query(
    'UPDATE outbox_events SET published_at = NULL, stream_seq = NULL, stream_epoch = NULL WHERE position = $1',
    [row],
  );
  while (watermark.position >= row) await watermark.update();
  expect(watermark.position).toBe(row - 1);
});
