import { randomUUID } from 'node:crypto';
import { createMetrics } from '@expert-relay/kit/metrics';
import { createStoredStream } from '@expert-relay/kit/nats';
import { eventually } from '@expert-relay/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { createReports } from '../reports.ts';
import { openNotifierDatabase, silent, type TestDatabase } from '../testing/test-database.ts';
import { openStream, type TestStream } from '../testing/test-stream.ts';
import { holdCursor } from './cursor.ts';
import { EventReader } from './event-reader.ts';

let database: TestDatabase;
let stream: TestStream;
const readers: EventReader[] = [];

beforeAll(async () => {
  database = await openNotifierDatabase();
});
afterAll(async () => {
  await database[Symbol.asyncDispose]();
});
beforeEach(async () => {
  stream = await openStream();
  await database.query`DELETE FROM notification_endpoints`;
  await database.query`DELETE FROM notification_cursor`;
});
afterEach(async () => {
  for (const reader of readers.splice(0)) await reader.stop();
  await stream[Symbol.asyncDispose]();
});

async function startReader(): Promise<EventReader> {
  const reader = new EventReader({
    query: database.query,
    stream: createStoredStream({ nats: stream.nats, stream: stream.name, owner: 'notifier' }),
    reports: createReports(createMetrics('notifier', { forProcess: false })),
    log: silent,
    onInserted: () => {},
  });
  readers.push(reader);
  await reader.start();
  return reader;
}

const deliveries = async () =>
  (
    await database.query<{ requestId: string }>`
      SELECT request_id AS "requestId" FROM notification_deliveries ORDER BY created_at, id`
  ).map(({ requestId }) => requestId);

/** Waits until exactly these requests were reported, each once. */
const untilDelivered = (...requests: string[]) =>
  eventually('the deliveries are inserted', async () => {
    const found = await deliveries();
    return requests.every((one) => found.includes(one)) && new Set(found).size === new Set(requests).size;
  });

/** A request whose event is published. */
async function report(): Promise<string> {
  const requestId = await database.addRequest();
  await stream.newRequest(requestId);
  return requestId;
}

test('without an enabled endpoint there is no consumer; the first one starts it, and the last one ends it', async () => {
  const reader = await startReader();
  const held = () => database.query`SELECT 1 FROM notification_cursor`;
  await report();
  expect(await stream.consumers()).toEqual([]);
  expect(await held()).toEqual([]);
  await database.addEndpoint({ of: 'user' });
  reader.wake();
  await eventually('there is a consumer', async () => (await stream.consumers()).length === 1);
  const requestId = await report();
  await untilDelivered(requestId);
  await database.query`UPDATE notification_endpoints SET enabled_at = NULL`;
  await eventually('there is no consumer', async () => (await stream.consumers()).length === 0);
  expect(await held()).toEqual([]);
});

const chat = () => database.addChannel('chat', { url: 'https://chat.example/hook' });
const mail = () => database.addChannel('mail', { address: 'ada@example.com', unsubscribeToken: 'x' });

test.each<[string, () => Promise<string>, string, string]>([
  [
    'a webhook that is off',
    () => database.addEndpoint({ of: 'user' }),
    'UPDATE notification_endpoints SET enabled_at = NULL',
    'UPDATE notification_endpoints SET enabled_at = now()',
  ],
  [
    'a channel that is off',
    chat,
    'UPDATE notification_endpoints SET enabled_at = NULL',
    'UPDATE notification_endpoints SET enabled_at = now()',
  ],
  [
    'a mail address that is not confirmed',
    mail,
    'UPDATE notification_endpoints SET confirmed_at = NULL',
    'UPDATE notification_endpoints SET confirmed_at = now()',
  ],
  [
    'a webhook of a revoked key',
    () => database.addEndpoint({ of: 'key' }),
    'UPDATE api_keys SET revoked_at = now()',
    'UPDATE api_keys SET revoked_at = NULL',
  ],
])('%s holds no cursor', async (_, add, off, on) => {
  await add();
  await database.pool.query(off);
  const holder = randomUUID();
  expect(await holdCursor(database.query, holder)).toBeUndefined();
  await database.pool.query(on);
  expect(await holdCursor(database.query, holder)).toBeDefined();
  await database.pool.query(off);
  expect(await holdCursor(database.query, holder)).toBeUndefined();
  expect(await database.query`SELECT 1 FROM notification_cursor`).toEqual([]);
  await database.pool.query(on);
});

test('what happened while no process read is read later, from the cursor', async () => {
  await database.addEndpoint({ of: 'user' });
  const first = await startReader();
  const before = await report();
  await untilDelivered(before);
  await first.stop();
  const meanwhile = await report();
  await stream.junk();
  await startReader();
  const after = await report();
  await untilDelivered(before, meanwhile, after);
});

test('one of two processes reads, and the other takes over when it ends', async () => {
  await database.addEndpoint({ of: 'user' });
  const [first] = [await startReader(), await startReader()];
  const one = await report();
  await untilDelivered(one);
  // A reader that connects again has no consumer for a moment.
  await eventually('one process reads', async () => (await stream.consumers()).length === 1);
  await first?.stop();
  const two = await report();
  await untilDelivered(one, two);
});

test('a process that has lost the cursor without noticing inserts nothing', async () => {
  await database.addEndpoint({ of: 'user' });
  await startReader();
  const one = await report();
  await untilDelivered(one);
  // Another process has read further.
  await database.query`UPDATE notification_cursor SET seq = seq + 1, event_id = 'other', holder = gen_random_uuid(),
    held_until = now() + interval '1 hour'`;
  const two = await report();
  await eventually('it has stopped', async () => (await stream.consumers()).length === 0);
  expect(await deliveries()).toEqual([one]);
  // It reads again when the other process has died. The event that it finds at the cursor is another one.
  await database.query`UPDATE notification_cursor SET held_until = now() - interval '1 second'`;
  await untilDelivered(one, two);
});

test.each([
  ['another event is at the cursor', "UPDATE notification_cursor SET event_id = 'lost'"],
  ['the stream ends before the cursor', 'UPDATE notification_cursor SET seq = seq + 100'],
])('when %s, what is published again is delivered, and nothing twice', async (_, change) => {
  await database.addEndpoint({ of: 'user' });
  const first = await startReader();
  const one = await report();
  await untilDelivered(one);
  // The first deliveries may come from the rows, before the event was read.
  await eventually('the cursor is at the event', async () => {
    const [cursor] = await database.query<{ isAtEvent: boolean }>`
      SELECT event_id <> '' AS "isAtEvent" FROM notification_cursor`;
    return cursor?.isAtEvent;
  });
  await first.stop();
  await database.pool.query(change);
  const two = await report();
  await stream.newRequest(one);
  await startReader();
  await untilDelivered(one, two);
  expect(await deliveries()).toHaveLength(2);
});

test('when the stream was created again, deliveries are derived from the rows', async () => {
  await database.addEndpoint({ of: 'user' });
  await startReader();
  const one = await report();
  await untilDelivered(one);
  await stream.manager.streams.delete(stream.name);
  // Its events are lost with it.
  const lost = await database.addRequest();
  await database.addMessage(lost, 'consumer');
  await stream.make();
  const after = await report();
  await untilDelivered(one, lost, after);
  expect(await deliveries()).toHaveLength(4);
});

test('when the stream has removed events before they were read, deliveries are derived from the rows', async () => {
  await database.addEndpoint({ of: 'user' });
  const first = await startReader();
  const one = await report();
  await untilDelivered(one);
  await first.stop();
  const removed = await report();
  const messageId = await database.addMessage(removed, 'consumer');
  await stream.newMessage(removed, messageId);
  await stream.manager.streams.purge(stream.name);
  const last = await report();
  await startReader();
  await untilDelivered(one, removed, last);
  expect(await deliveries()).toHaveLength(4);
});

test('a stream that does not exist yet is waited for', async () => {
  await stream.manager.streams.delete(stream.name);
  await database.addEndpoint({ of: 'user' });
  await startReader();
  const lost = await database.addRequest();
  await stream.make();
  const requestId = await report();
  await untilDelivered(lost, requestId);
});
