import { sql } from '@expert-relay/db';
import { eventually } from '@expert-relay/testkit';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { createTargetSealer } from '../endpoints/seal.ts';
import { endpointKeys, useNotifierDatabase } from '../testing/test-database.ts';
import { type ClaimedDelivery, claimForWebhooks, webhookSlots } from './claim-for-webhooks.ts';
import { deleteOldDeliveries } from './delete-old.ts';
import { deliveriesPage } from './deliveries-page.ts';
import { recordAttempt } from './record-attempt.ts';
import { maxAttempts } from './schedule.ts';
import { sendAgain } from './send-now.ts';

const database = useNotifierDatabase();
const freeSlots = { ...webhookSlots, busyUsers: { healthy: [], slow: [] } };

beforeEach(async () => {
  await database.query`DELETE FROM notification_endpoints`;
  await database.query`DELETE FROM notification_facts`;
  await database.query`UPDATE api_keys SET revoked_at = NULL`;
});

const alone = (delivery: ClaimedDelivery) => ({ endpointId: delivery.endpointId, deliveries: [delivery] });

async function stored() {
  return await database.query<{
    endpointId: string;
    type: string;
    state: string;
    reason: string | null;
    attempts: number;
  }>`
    SELECT endpoint_id AS "endpointId", type, state::text AS state, reason, attempts
    FROM notification_deliveries ORDER BY type, endpoint_id`;
}

async function claimAll(): Promise<ClaimedDelivery[]> {
  const all: ClaimedDelivery[] = [];
  for (let more = true; more; ) {
    const claimed = await claimForWebhooks(database, freeSlots);
    all.push(...claimed);
    more = claimed.length > 0;
  }
  return all;
}

describe('deliveries of events', () => {
  test('go to the webhooks of the user and of the consumer key, each with its own types and role', async () => {
    const user = await database.addEndpoint({ of: 'user' });
    const key = await database.addEndpoint({ of: 'key' });
    const requestId = await database.addRequest();
    const byAgent = await database.addMessage(requestId, 'consumer');
    const byExpert = await database.addMessage(requestId, 'provider');
    for (const messageId of [byAgent, byExpert]) await database.addFact('new_message', requestId, messageId);
    await database.takeAll();
    const rows = await database.query<{ endpointId: string; messageId: string }>`
      SELECT endpoint_id AS "endpointId", message_id AS "messageId" FROM notification_deliveries`;
    expect(new Set(rows.map((row) => JSON.stringify(row)))).toEqual(
      new Set([
        JSON.stringify({ endpointId: user, messageId: byAgent }),
        JSON.stringify({ endpointId: key, messageId: byExpert }),
      ]),
    );
  });

  test('have the type of their event', async () => {
    const key = await database.addEndpoint({ of: 'key' });
    const requestId = await database.addRequest();
    await database.addFact('new_request', requestId);
    await database.addFact('key_exchange', requestId);
    await database.addFact('new_message', requestId, await database.addMessage(requestId, 'provider'));
    await database.query`
      UPDATE help_requests SET status = 'closed', ended_at = clock_timestamp() WHERE id = ${requestId}`;
    await database.addFact('request_closed', requestId);
    await database.takeAll();
    const ofKey = (await stored()).filter(({ endpointId }) => endpointId === key);
    expect(ofKey.map(({ type }) => type)).toEqual(['keys.exchanged', 'message.created', 'request.closed']);
  });

  test.each([
    ['an event that the webhook does not want', { events: ['request.closed'] }, undefined],
    ['a webhook that is off', {}, 'UPDATE notification_endpoints SET enabled_at = NULL'],
    [
      'an event from before it was switched on',
      {},
      "UPDATE notification_endpoints SET enabled_at = now() + interval '1 hour'",
    ],
    ['a revoked key', {}, 'UPDATE api_keys SET revoked_at = now()'],
    [
      'the webhook of another user',
      {},
      "WITH u AS (INSERT INTO users (name) VALUES ('bob') RETURNING id) UPDATE notification_endpoints SET user_id = u.id FROM u",
    ],
    ['a request that does not exist any more', {}, 'DELETE FROM help_requests'],
  ])('are not made for %s, and its fact is removed', async (_, endpoint, change) => {
    const requestId = await database.addRequest();
    await database.addEndpoint({ of: 'key', ...endpoint });
    await database.addFact('new_message', requestId, await database.addMessage(requestId, 'provider'));
    if (change !== undefined) await database.pool.query(change);
    expect(await database.takeAll()).toBe(0);
    expect(await stored()).toEqual([]);
    expect(await database.query`SELECT 1 FROM notification_facts`).toEqual([]);
  });

  test('are made once, also when an event is recorded twice', async () => {
    await database.addEndpoint({ of: 'user' });
    const requestId = await database.addRequest();
    const messageId = await database.addMessage(requestId, 'consumer');
    for (const expected of [2, 0]) {
      await database.addFact('new_request', requestId);
      await database.addFact('new_message', requestId, messageId);
      expect(await database.takeAll()).toBe(expected);
    }
  });
});

describe('a claim', () => {
  test('takes four deliveries of a healthy endpoint, one of a failing one, and the next ones when they have ended', async () => {
    const healthy = await database.addEndpoint({ of: 'user' });
    const failing = await database.addEndpoint({ of: 'key' });
    await database.query`UPDATE notification_endpoints SET failures = 1, failing_since = now() WHERE id = ${failing}::uuid`;
    await database.query`UPDATE notification_endpoints SET last_ms = 5`;
    await database.addDeliveries(healthy, 10);
    await database.addDeliveries(failing, 10);
    const claimed = await claimAll();
    expect(claimed.filter(({ endpointId }) => endpointId === healthy)).toHaveLength(4);
    expect(claimed.filter(({ endpointId }) => endpointId === failing)).toHaveLength(1);
    for (const delivery of claimed) await recordAttempt(database.query, alone(delivery), { durationMs: 5 });
    // The success made the failing one healthy.
    expect(await claimAll()).toHaveLength(8);
  });

  test('gives each delivery to one of many processes', async () => {
    for (let endpoint = 0; endpoint < 10; endpoint++)
      await database.addDeliveries(await database.addEndpoint({ of: 'user' }), 3);
    await database.query`UPDATE notification_endpoints SET last_ms = 5`;
    const claimed = (await Promise.all(Array.from({ length: 8 }, claimAll))).flat();
    expect(claimed).toHaveLength(30);
    expect(new Set(claimed.map(({ id }) => id)).size).toBe(30);
  });

  test('does not miss a delivery that is inserted at the same time', async () => {
    const endpoint = await database.addEndpoint({ of: 'user' });
    const requests: string[] = [];
    for (let n = 0; n < 40; n++) requests.push(await database.addRequest());
    const ids = new Set<string>();
    let isInserting = true;
    const claiming = Array.from({ length: 2 }, async () => {
      while (isInserting) {
        for (const delivery of await claimForWebhooks(database, freeSlots)) {
          ids.add(delivery.id);
          await recordAttempt(database.query, alone(delivery), { durationMs: 1 });
        }
      }
    });
    for (const requestId of requests) {
      await database.addFact('new_request', requestId);
      await database.takeAll();
    }
    isInserting = false;
    await Promise.all(claiming);
    for (let more = true; more; ) {
      const rest = await claimAll();
      for (const delivery of rest) {
        ids.add(delivery.id);
        await recordAttempt(database.query, alone(delivery), { durationMs: 1 });
      }
      more = rest.length > 0;
    }
    expect(ids.size).toBe(40);
    expect(
      await database.query`SELECT 1 FROM notification_deliveries WHERE endpoint_id = ${endpoint}::uuid AND state <> 'delivered'`,
    ).toEqual([]);
  });

  test('takes a delivery again when its lease is over, and fails it after the last attempt', async () => {
    await database.addDeliveries(await database.addEndpoint({ of: 'user' }), 1);
    const expire = () => database.query`
      WITH expired AS (UPDATE notification_deliveries SET due_at = now())
      UPDATE notification_endpoints SET next_due_at = now()`;
    const [first] = await claimAll();
    expect(await claimAll()).toEqual([]);
    await expire();
    const [second] = await claimAll();
    expect([first?.id, second?.attempt]).toEqual([second?.id, 2]);
    for (let attempt = 3; attempt <= maxAttempts + 1; attempt++) {
      await expire();
      await claimAll();
    }
    expect(await stored()).toMatchObject([{ state: 'failed', attempts: maxAttempts, reason: 'broken_off' }]);
  });

  test('cancels what is not needed any more', async () => {
    await database.addDeliveries(await database.addEndpoint({ of: 'key' }), 3);
    await database.query`UPDATE api_keys SET revoked_at = now()`;
    expect(await claimAll()).toEqual([]);
    expect((await stored()).map(({ state, attempts }) => [state, attempts])).toEqual(
      Array.from({ length: 3 }, () => ['cancelled', 0]),
    );
  });
});

describe('an attempt', () => {
  async function claimOne(): Promise<ClaimedDelivery> {
    await database.addDeliveries(await database.addEndpoint({ of: 'user' }), 2);
    const [delivery] = await claimAll();
    if (!delivery) throw new Error('nothing was claimed');
    return delivery;
  }

  test('that fails waits as the table of Standard Webhooks says, up to the last one', async () => {
    const delivery = await claimOne();
    const pauses: number[] = [];
    for (let attempt = 1; attempt <= maxAttempts; attempt++) {
      await database.query`UPDATE notification_deliveries SET state = 'sending', attempts = ${attempt}::int WHERE id = ${delivery.id}`;
      await recordAttempt(database.query, alone({ ...delivery, attempt }), {
        reason: 'timed_out',
        durationMs: 10,
      });
      const [row] = await database.query<{ seconds: number }>`
        SELECT extract(epoch FROM due_at - now())::float8 AS seconds FROM notification_deliveries WHERE id = ${delivery.id}`;
      if (attempt < maxAttempts) pauses.push(row?.seconds ?? 0);
    }
    const table = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];
    for (const [index, seconds] of table.entries()) {
      // Some seconds may have passed since.
      expect(pauses[index]).toBeGreaterThan(seconds - 10);
      expect(pauses[index]).toBeLessThanOrEqual(seconds * 1.1);
    }
    expect(await stored()).toContainEqual(expect.objectContaining({ state: 'failed', reason: 'timed_out' }));
  });

  test('waits as long as Retry-After says, but not for more than a day', async () => {
    const delivery = await claimOne();
    const waits = async () => {
      const [row] = await database.query<{ seconds: number }>`
        SELECT extract(epoch FROM due_at - now())::float8 AS seconds FROM notification_deliveries WHERE id = ${delivery.id}`;
      return Math.ceil((row?.seconds ?? 0) / 3_600);
    };
    const failure = { reason: 'refused', statusCode: 503, durationMs: 1 } as const;
    await recordAttempt(database.query, alone(delivery), { ...failure, retryAfterSeconds: 7_200 });
    expect(await waits()).toBe(2);
    await database.query`UPDATE notification_deliveries SET state = 'sending' WHERE id = ${delivery.id}`;
    await recordAttempt(database.query, alone(delivery), { ...failure, retryAfterSeconds: 1e9 });
    expect(await waits()).toBe(24);
  });

  test('with the response 410 ends the endpoint and what waits for it', async () => {
    const delivery = await claimOne();
    const result = { reason: 'refused', statusCode: 410, ends: 'endpoint', durationMs: 1 } as const;
    await database.query`UPDATE notification_deliveries SET state = 'waiting' WHERE id <> ${delivery.id}`;
    expect(await recordAttempt(database.query, alone(delivery), result)).toEqual({
      state: 'failed',
      isOff: true,
    });
    expect(await stored()).toMatchObject([{ state: 'failed' }, { state: 'failed' }]);
    expect(
      await database.query`SELECT off_reason AS "offReason" FROM notification_endpoints WHERE enabled_at IS NULL`,
    ).toEqual([{ offReason: 'gone' }]);
  });

  test.each([
    ['ten failures in five days', 9, '5 days 1 minute', true],
    ['nine failures in five days', 8, '5 days 1 minute', false],
    ['a hundred failures in less than five days', 99, '4 days 23 hours', false],
  ])('after %s: the endpoint is off: %s', async (_, failures, since, isOff) => {
    const delivery = await claimOne();
    await database.query`
      UPDATE notification_endpoints SET failures = ${failures}::int, failing_since = now() - ${since}::interval`;
    expect(
      await recordAttempt(database.query, alone(delivery), { reason: 'timed_out', durationMs: 1 }),
    ).toMatchObject({ isOff });
  });

  test('that ends after its lease counts if it is a success, and not if it is a failure', async () => {
    const delivery = await claimOne();
    await database.query`UPDATE notification_deliveries SET attempts = 2 WHERE id = ${delivery.id}`;
    expect(
      await recordAttempt(database.query, alone(delivery), { reason: 'timed_out', durationMs: 1 }),
    ).toBeUndefined();
    expect(await recordAttempt(database.query, alone(delivery), { durationMs: 1 })).toMatchObject({
      state: 'delivered',
    });
  });
});

test('a delivery that is sent again locks its endpoint first, as attempts do, so that neither ends in a deadlock', async () => {
  const endpointId = await database.addEndpoint({ of: 'user' });
  await database.addDeliveries(endpointId, 1);
  const [delivery] = await claimForWebhooks(database, freeSlots);
  const { userId } = database;
  const call = {
    endpointId,
    userId,
    isOwn: sql`TRUE`,
    off: 'webhook_off' as const,
    deliveryId: delivery?.id ?? '',
    count: () => ({ left: 1, endsInMs: 1 }),
    sealer: createTargetSealer(endpointKeys),
  };
  const again = await database.transact(async (query) => {
    await query`SELECT 1 FROM notification_endpoints WHERE id = ${endpointId}::uuid FOR NO KEY UPDATE`;
    const sending = sendAgain(database.query, call);
    await eventually('it waits for the lock', async () => {
      const [waiting] = await database.query`
        SELECT 1 FROM pg_stat_activity
        WHERE wait_event_type = 'Lock' AND datname = current_database() AND query LIKE '%again AS%'`;
      return waiting;
    });
    await query`UPDATE notification_deliveries SET state = 'failed', ended_at = now() WHERE id = ${delivery?.id ?? ''}`;
    return { sending };
  });
  expect(await again.sending).toMatchObject({ state: 'waiting', attempts: 0 });
});

test('deliveries are listed, and kept, until seven days after their end', async () => {
  const endpointId = await database.addEndpoint({ of: 'user' });
  await database.addDeliveries(endpointId, 3);
  await database.query`UPDATE notification_deliveries SET created_at = now() - interval '10 days'`;
  const listed = async () =>
    (await deliveriesPage(database.query, sql`TRUE`, { endpointId, limit: 5 })).deliveries.length;
  expect(await listed()).toBe(3);
  const age = async (days: number) => {
    await database.query`
      UPDATE notification_deliveries SET state = 'delivered', ended_at = now() - ${days}::int * interval '1 day'`;
    return { listed: await listed(), deleted: await deleteOldDeliveries(database.query) };
  };
  expect(await age(6)).toEqual({ listed: 3, deleted: 0 });
  expect(await age(8)).toEqual({ listed: 0, deleted: 3 });
});
