import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type pg from 'pg';
import { connectOnce } from '../postgres/connect.ts';
import { createTestDatabase, type TestDatabase } from '../testing/create-test-database.ts';
import { createWaterline, type Waterline } from './waterline.ts';

let database: TestDatabase;
let leader: pg.Client;
let writer: pg.Client;
let slow: pg.Client;

beforeAll(async () => {
  database = await createTestDatabase(process.env.DATABASE_URL ?? '');
  [leader, writer, slow] = [
    await connectOnce(database.url),
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

/** Looks until the waterline rises from the bottom: other databases' transactions are waited for as well. */
async function rise(waterline: Waterline): Promise<void> {
  do {
    await waterline.look();
    waterline.raise();
  } while (waterline.position === 0);
}

test('stays below the very first row of a database', async () => {
  const waterline = createWaterline(leader);
  for (let round = 0; round < 10; round++) {
    await waterline.look();
    waterline.raise();
    expect(waterline.position).toBe(0);
  }
  const first = await write(writer);
  expect(first).toBe(1);
  await rise(waterline);
  expect(waterline.position).toBe(first);
});

test('stays below a row that is not committed, however long that takes', async () => {
  const waterline = createWaterline(leader);
  await slow.query('BEGIN');
  const held = await write(slow);
  const newest = await write(writer);
  expect(newest).toBeGreaterThan(held);
  for (let round = 0; round < 3; round++) {
    await waterline.look();
    waterline.raise();
    expect(waterline.position).toBeLessThan(held);
  }

  await slow.query('COMMIT');
  await rise(waterline);
  expect(waterline.position).toBe(newest);
});

test('stays below what waits, and begins at the bottom after each look', async () => {
  const waterline = createWaterline(leader);
  const first = await write(writer);
  await write(writer);
  await rise(waterline);
  await waterline.look();
  expect(waterline.position).toBe(0);
  waterline.raise(first);
  expect(waterline.position).toBe(first);
  waterline.raise();
  expect(waterline.position).toBe(first + 1);
});

test('knows nothing of what was drawn since it looked', async () => {
  const waterline = createWaterline(leader);
  const before = await write(writer);
  await waterline.look();
  const after = await write(writer);
  await rise(waterline);
  waterline.raise(after);
  expect(waterline.position).toBe(before);
});
