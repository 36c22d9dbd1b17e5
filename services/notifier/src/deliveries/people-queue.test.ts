import { beforeEach, expect, test } from '@jest/globals';
import { useNotifierDatabase } from '../testing/test-database.ts';
import type { DeliveryQueue, Job } from './deliverer.ts';
import { createPeopleQueue } from './people-queue.ts';
import { recordAttempt } from './record-attempt.ts';

const database = useNotifierDatabase();
let queue: DeliveryQueue;
const push = { endpoint: 'https://push.example/1', keys: { p256dh: 'p', auth: 'a' }, pushKey: 'k' };
const email = { address: 'ada@example.com', unsubscribeToken: 'token' };
const chat = { url: 'https://chat.example/hook' };

beforeEach(async () => {
  await database.clear();
  const send = async () => ({});
  queue = createPeopleQueue({ database, senders: { push: send, email: send, chat: send } });
});

/** Claims until nothing is found, twice: a claim may be of endpoints for which nothing waits any more. */
async function claimAll(): Promise<Job[]> {
  const jobs: Job[] = [];
  for (let empty = 0; empty < 2; ) {
    const claimed = await queue.claim();
    jobs.push(...claimed);
    empty = claimed.length === 0 ? empty + 1 : 0;
  }
  return jobs;
}

async function end(jobs: readonly Job[]): Promise<void> {
  for (const job of jobs) {
    await recordAttempt(database.query, job, { durationMs: 1 });
    job.release();
  }
}

async function insertRequests(): Promise<void> {
  await database.query`INSERT INTO notification_facts (type, request_id) SELECT 'new_request', id FROM help_requests`;
  await database.takeAll();
}

const countOf = (jobs: readonly Job[], endpointId: string): number =>
  jobs.filter((job) => job.endpointId === endpointId).length;

test('requests of several users that are due together take no more slots than there are, and every user gets some', async () => {
  const endpoints: string[] = [];
  for (let user = 0; user < 5; user++) {
    const ofUser = await database.addUser();
    endpoints.push(await database.addChannel('push', push, { ofUser }));
    for (let request = 0; request < 4; request++) await database.addRequest(ofUser);
  }
  await insertRequests();
  const first = await claimAll();
  expect(first).toHaveLength(16);
  for (const endpoint of endpoints) expect(countOf(first, endpoint)).toBeGreaterThanOrEqual(3);
  expect(await claimAll()).toEqual([]);
  await end(first);
  const second = await claimAll();
  expect(second).toHaveLength(4);
  await end(second);
});

test('ten tests of one email address are sent, four at a time', async () => {
  const endpoint = await database.addChannel('email', email);
  await database.addDeliveries(endpoint, 1, 'channel.test');
  const [only, ...others] = await claimAll();
  expect(others).toEqual([]);
  await database.query`
    INSERT INTO notification_deliveries (id, endpoint_id, type, event_at, due_at)
    SELECT 'msg_' || md5(n::text), ${endpoint}::uuid, 'channel.test', now(), now() FROM generate_series(1, 9) AS n`;
  await end(only ? [only] : []);
  for (const expected of [4, 4, 1, 0]) {
    const jobs = await claimAll();
    expect(jobs).toHaveLength(expected);
    await end(jobs);
  }
});

test('a test for which there is no slot is sent as soon as there is one, also in quiet hours', async () => {
  const endpoint = await database.addChannel('email', email);
  await database.query`
    INSERT INTO notification_settings (user_id, paused_until) VALUES (${database.userId}::uuid, now() + interval '1 hour')`;
  const others: string[] = [];
  for (let user = 0; user < 4; user++) {
    const id = await database.addChannel('email', email, { ofUser: await database.addUser() });
    await database.addDeliveries(id, 1, 'channel.test');
    others.push(id);
  }
  const first = await claimAll();
  expect(first.map(({ endpointId }) => endpointId).sort()).toEqual(others.sort());
  await database.addDeliveries(endpoint, 2, 'channel.test');
  expect(await claimAll()).toEqual([]);
  await end(first.slice(0, 1));
  const next = await claimAll();
  expect(next.map(({ endpointId }) => endpointId)).toEqual([endpoint]);
  await end([...first.slice(1), ...next]);
  expect(await claimAll()).toHaveLength(1);
});

test('the slots of one user are for all channels together', async () => {
  for (let number = 0; number < 3; number++)
    await database.addChannel('chat', { url: `${chat.url}${number}` });
  await database.addChannel('push', push);
  for (let request = 0; request < 3; request++) await database.addRequest();
  await insertRequests();
  await database.pool.query(`
    UPDATE notification_deliveries SET due_at = due_at - interval '2 seconds';
    UPDATE notification_endpoints SET next_due_at = next_due_at - interval '2 seconds'`);
  const first = await claimAll();
  expect(first).toHaveLength(4);
  await end(first.slice(0, 1));
  expect((await claimAll()).length).toBeGreaterThan(0);
});

test.each([
  ['is removed if its push service does not know it', { reason: 'refused', statusCode: 410 }, []],
  // Its browser finds the channel, and so subscribes again. Without it, it would unsubscribe.
  ['stays in the list if the push key was removed', { reason: 'push_key_removed' }, ['gone']],
] as const)('a subscription that %s, at once and without an email about it', async (_, result, expected) => {
  const ended = async () => ({ ...result, ends: 'endpoint' as const });
  queue = createPeopleQueue({ database, senders: { push: ended, email: ended, chat: ended } });
  await database.addChannel('email', email);
  const endpoint = await database.addChannel('push', push);
  await database.addDeliveries(endpoint, 1, 'channel.test');
  for (const job of await claimAll()) {
    const attempt = await job.send();
    await recordAttempt(database.query, job, { ...attempt, durationMs: 1 });
    await job.recorded?.(attempt);
    job.release();
  }
  const rows = await database.query<{ offReason: string }>`
    SELECT off_reason AS "offReason" FROM notification_endpoints WHERE channel = 'push'`;
  expect(rows.map(({ offReason }) => offReason)).toEqual(expected);
  expect(await database.query`SELECT FROM notification_deliveries WHERE type = 'endpoint.off'`).toEqual([]);
});

test('a channel without a free slot does not delay the others', async () => {
  for (let user = 0; user < 4; user++) {
    const id = await database.addChannel('email', email, { ofUser: await database.addUser() });
    await database.addDeliveries(id, 1, 'channel.test');
  }
  expect(await claimAll()).toHaveLength(4);
  expect(queue.hasFreeSlots()).toBe(true);
});
