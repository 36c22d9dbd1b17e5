import { sql } from '@expert-relay/db';
import { eventually } from '@expert-relay/testkit';
import { beforeEach, expect, test } from '@jest/globals';
import { useNotifierDatabase } from '../testing/test-database.ts';
import { takeFacts } from './take-facts.ts';

const database = useNotifierDatabase();

beforeEach(async () => {
  await database.clear();
  await database.addEndpoint({ of: 'user' });
});

async function addNewRequest(): Promise<string> {
  const requestId = await database.addRequest();
  await database.addFact('new_request', requestId);
  return requestId;
}

const take = (limit = 200) => takeFacts(database, { which: sql`TRUE`, limit });

async function delivered(): Promise<string[]> {
  const rows = await database.query<{ requestId: string }>`
    SELECT request_id AS "requestId" FROM notification_deliveries ORDER BY created_at, id`;
  return rows.map(({ requestId }) => requestId);
}

const countFacts = async () => (await database.query`SELECT 1 FROM notification_facts`).length;

test('processes that take at the same time insert each delivery once', async () => {
  for (let count = 0; count < 40; count++) await addNewRequest();
  const takers = Array.from({ length: 4 }, async () => {
    let inserted = 0;
    while ((await countFacts()) > 0) inserted += (await take(3))?.deliveries ?? 0;
    return inserted;
  });
  const inserted = await Promise.all(takers);
  expect(inserted.reduce((sum, count) => sum + count)).toBe(40);
  expect(new Set(await delivered()).size).toBe(40);
});

test('while one process takes, another takes nothing and does not wait', async () => {
  await addNewRequest();
  await database.transact(async (query) => {
    await query`SELECT pg_advisory_xact_lock(7204513314)`;
    expect(await take()).toBeUndefined();
  });
  expect(await take()).toMatchObject({ facts: 1, deliveries: 1 });
});

test('the oldest are taken first, and of each request one at a time', async () => {
  const [first, second, third] = [await addNewRequest(), await addNewRequest(), await addNewRequest()];
  await database.addFact('new_message', first, await database.addMessage(first, 'consumer'));
  expect(await take(2)).toEqual({ facts: 2, deliveries: 2, isMore: true });
  expect(new Set(await delivered())).toEqual(new Set([first, second]));
  expect(await take(2)).toEqual({ facts: 2, deliveries: 2, isMore: true });
  expect((await delivered()).slice(2).sort()).toEqual([first, third].sort());
  expect(await take(2)).toMatchObject({ facts: 0, isMore: false });
});

test('a process that ends during the statement has taken nothing', async () => {
  const requestId = await addNewRequest();
  await database.transact(async (query) => {
    // The statement has deleted the fact and inserted the delivery when it waits for the endpoint.
    await query`SELECT FROM notification_endpoints FOR NO KEY UPDATE`;
    const taking = take().catch(() => 'failed');
    await eventually('the process is killed', async () => {
      const killed = await query`
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE wait_event_type = 'Lock' AND datname = current_database()`;
      return killed.length > 0;
    });
    expect(await taking).toBe('failed');
  });
  expect(await delivered()).toEqual([]);
  expect(await take()).toMatchObject({ facts: 1, deliveries: 1 });
  expect(await delivered()).toEqual([requestId]);
});

test('a request that is being erased delays no other, and its facts end with it', async () => {
  const erased = await addNewRequest();
  const other = await addNewRequest();
  await database.transact(async (query) => {
    await query`DELETE FROM help_requests WHERE id = ${erased}`;
    expect(await take()).toMatchObject({ facts: 1, deliveries: 1 });
  });
  expect(await countFacts()).toBe(0);
  expect(await delivered()).toEqual([other]);
});

test('a user who is erased leaves no facts', async () => {
  const userId = await database.addUser();
  await database.addFact('new_request', await database.addRequest(userId));
  await database.query`DELETE FROM users WHERE id = ${userId}::uuid`;
  expect(await countFacts()).toBe(0);
});
