import { createPostgres } from '@expert-relay/db';
import { createMetrics } from '@expert-relay/kit/metrics';
import { createTcpProxy, eventually } from '@expert-relay/testkit';
import { afterEach, beforeEach, test } from '@jest/globals';
import { createNotifierMetrics } from '../notifier-metrics.ts';
import { silent, type TestDatabase, useNotifierDatabase } from '../testing/test-database.ts';
import { FactReader } from './fact-reader.ts';

const database = useNotifierDatabase();
const readers: FactReader[] = [];

beforeEach(() => database.clear());
afterEach(async () => {
  for (const reader of readers.splice(0)) await reader.stop();
});

async function startReader(of: Pick<TestDatabase, 'query' | 'transact'> = database): Promise<FactReader> {
  const reader = new FactReader({
    database: of,
    metrics: createNotifierMetrics(createMetrics('notifier', { forProcess: false })),
    log: silent,
    onInserted: () => {},
    retryAfterMs: 100,
  });
  readers.push(reader);
  await reader.start();
  return reader;
}

async function addNewRequest(ofUser?: string): Promise<string> {
  const requestId = await database.addRequest(ofUser);
  await database.addFact('new_request', requestId);
  return requestId;
}

/** Waits until exactly these requests were delivered, each once. */
const untilDelivered = (...requests: string[]) =>
  eventually('the deliveries are inserted', async () => {
    const rows = await database.query<{ requestId: string }>`
      SELECT request_id AS "requestId" FROM notification_deliveries`;
    const found = rows.map(({ requestId }) => requestId);
    return JSON.stringify(found.sort()) === JSON.stringify([...requests].sort());
  });

const untilTaken = () =>
  eventually('all facts are taken', async () => {
    const facts = await database.query`SELECT 1 FROM notification_facts`;
    return facts.length === 0;
  });

test('what was recorded while no process ran is delivered later, by one of several', async () => {
  await database.addEndpoint({ of: 'user' });
  const first = await startReader();
  const before = await addNewRequest();
  await untilDelivered(before);
  await first.stop();
  const meanwhile = await addNewRequest();
  await Promise.all([startReader(), startReader()]);
  const after = await addNewRequest();
  await untilDelivered(before, meanwhile, after);
});

test('facts are removed, and nothing is delivered, when their endpoint was disabled since or is enabled only later', async () => {
  await database.addEndpoint({ of: 'user' });
  await addNewRequest();
  await database.query`UPDATE notification_endpoints SET enabled_at = NULL`;
  await startReader();
  await untilTaken();
  await addNewRequest();
  await database.query`UPDATE notification_endpoints SET enabled_at = now() + interval '1 millisecond'`;
  await untilTaken();
  await untilDelivered(await addNewRequest());
});

test('a fact that cannot be inserted delays no other one, and is tried again', async () => {
  await database.addEndpoint({ of: 'user' });
  const bad = await database.addRequest();
  await database.pool.query(
    `ALTER TABLE notification_deliveries ADD CONSTRAINT no_such CHECK (request_id <> '${bad}')`,
  );
  await database.addFact('new_request', bad);
  await startReader();
  const others = [await addNewRequest(), await addNewRequest()];
  await untilDelivered(...others);
  others.push(await addNewRequest());
  await untilDelivered(...others);
  await database.pool.query('ALTER TABLE notification_deliveries DROP CONSTRAINT no_such');
  await untilDelivered(bad, ...others);
});

test('an endpoint that is locked for long delays no delivery of another user', async () => {
  const userId = await database.addUser();
  await database.addEndpoint({ of: 'user' });
  await database.addChannel('chat', { url: 'https://chat.example/hook' }, { ofUser: userId });
  const { mine } = await database.transact(async (query) => {
    await query`SELECT FROM notification_endpoints WHERE channel = 'webhook' FOR NO KEY UPDATE`;
    const mine = await addNewRequest();
    await startReader();
    await untilDelivered(await addNewRequest(userId));
    return { mine };
  });
  await eventually('the delivery is inserted', async () => {
    const rows = await database.query`SELECT 1 FROM notification_deliveries WHERE request_id = ${mine}`;
    return rows.length === 1;
  });
});

test('after Postgres was away, facts are taken again', async () => {
  await using proxy = await createTcpProxy(database.url);
  const postgres = createPostgres({ url: proxy.url, poolSize: 2, log: silent });
  await postgres.start();
  await database.addEndpoint({ of: 'user' });
  const reader = await startReader(postgres);
  const before = await addNewRequest();
  await untilDelivered(before);
  await proxy.cut();
  const meanwhile = await addNewRequest();
  await proxy.restore();
  await untilDelivered(before, meanwhile);
  await reader.stop();
  await postgres.stop();
});
