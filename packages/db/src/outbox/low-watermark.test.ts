import { eventually } from '@expert-relay/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
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

/** Writes as services do: it changes a row before it draws a position, so its transaction has an id by then. */
async function write(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ position: number }>(`
    WITH changed AS (INSERT INTO users (name) VALUES ('ada') RETURNING id)
    INSERT INTO outbox_events (type, payload, user_id) SELECT 'new_message', '', id FROM changed
    RETURNING position::float8 AS position`);
  return rows[0]?.position ?? Number.NaN;
}

/** Waits for transactions of other databases too, which tests beside this one run. */
async function settleAndAdvance(watermark: LowWatermark): Promise<void> {
  await watermark.untilSettled(240_000, new AbortController().signal);
  watermark.advance();
}

/** Updates as the leader does, until all rows up to a position are settled. */
async function advanceTo(watermark: LowWatermark, position: number): Promise<void> {
  await eventually('the position is settled', async () => {
    await watermark.update();
    watermark.advance();
    return watermark.position >= position;
  });
  expect(watermark.position).toBe(position);
}

const publishAll = () =>
  writer.query(`
    UPDATE outbox_events SET published_at = now(), stream_seq = 1, stream_created_at = 'now' WHERE published_at IS NULL`);
beforeEach(publishAll);
afterEach(() => slow.query('ROLLBACK'));

test('stays below the first row of a database', async () => {
  const watermark = createLowWatermark(leader);
  for (let round = 0; round < 10; round++) {
    await watermark.update();
    watermark.advance();
    expect(watermark.position).toBe(0);
  }
  const first = await write(writer);
  expect(first).toBe(1);
  await advanceTo(watermark, first);
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
    watermark.advance();
    expect(watermark.position).toBeLessThan(held);
  }

  await slow.query('COMMIT');
  await advanceTo(watermark, newest);
});

test('stays below a row that is not committed when no later transaction has ended', async () => {
  // Other tests on this server may end a transaction just then: hardly in each round.
  for (let round = 0; round < 20; round++) {
    const watermark = createLowWatermark(leader);
    await slow.query('BEGIN');
    const held = await write(slow);
    for (let second = 0; second < 3; second++) {
      await watermark.update();
      watermark.advance();
      expect(watermark.position).toBeLessThan(held);
    }
    await slow.query('ROLLBACK');
  }
});

test('advances to the last row that was published, or to the last settled position', async () => {
  const watermark = createLowWatermark(leader);
  const first = await write(writer);
  await write(writer);
  await settleAndAdvance(watermark);
  watermark.advance(first);
  expect(watermark.position).toBe(first);
  watermark.advance();
  expect(watermark.position).toBe(first + 1);
});

test('does not advance to a position that was drawn after the last update', async () => {
  const watermark = createLowWatermark(leader);
  const before = await write(writer);
  await settleAndAdvance(watermark);
  const after = await write(writer);
  watermark.advance(after);
  expect(watermark.position).toBe(before);
});

test.each([1, 7, 1_000, 1_000_000])(
  'an update finds the first row that waits, in slices of %i positions',
  async (slice) => {
    await write(writer);
    await publishAll();
    await writer.query(
      `SELECT setval('outbox_events_position_seq', last_value + 3000) FROM outbox_events_position_seq`,
    );
    const first = await write(writer);
    await write(writer);
    const watermark = createLowWatermark(leader, slice);
    await watermark.untilSettled(240_000, new AbortController().signal);
    expect(watermark.position).toBe(first - 1);
    await publishAll();
    watermark.reset();
    await watermark.update();
    expect(watermark.position).toBe(first + 1);
  },
);

test('a later update finds a row that an operator lets wait again', async () => {
  const watermark = createLowWatermark(leader);
  const row = await write(writer);
  const newest = await write(writer);
  await publishAll();
  await advanceTo(watermark, newest);
  await writer.query(
    'UPDATE outbox_events SET published_at = NULL, stream_seq = NULL, stream_created_at = NULL WHERE position = $1',
    [row],
  );
  await eventually('a search', async () => {
    await watermark.update();
    return watermark.position < row;
  });
  expect(watermark.position).toBe(row - 1);
});
