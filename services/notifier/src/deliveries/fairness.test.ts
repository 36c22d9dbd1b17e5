import { randomUUID } from 'node:crypto';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemClock } from '@expert-relay/kit/clock';
import { createMetrics } from '@expert-relay/kit/metrics';
import { eventually } from '@expert-relay/testkit';
import { expect, test } from '@jest/globals';
import { createTargetSealer } from '../endpoints/seal.ts';
import { createNotifierMetrics } from '../notifier-metrics.ts';
import { createAddressRules } from '../outbound/address-rules.ts';
import { createPost } from '../outbound/post.ts';
import { createResolve } from '../outbound/resolve.ts';
import { createSendWebhook } from '../senders/send-webhook.ts';
import { endpointKeys, openNotifierDatabase, silent } from '../testing/test-database.ts';
import { claimForWebhooks, perUser, webhookSlots } from './claim-for-webhooks.ts';
import { Deliverer } from './deliverer.ts';
import { createWebhookQueue } from './webhook-queue.ts';

async function serve(listener: RequestListener) {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

test('hostile receivers do not delay the others, even with 10,000 deliveries that wait', async () => {
  await using database = await openNotifierDatabase();
  await using hanging = await serve(() => {});
  await using good = await serve((_, response) => response.end());
  const slow: string[] = [];
  const healthy: string[] = [];
  for (let n = 0; n < 20; n++) slow.push(await database.addEndpoint({ of: 'user', url: hanging.url }));
  for (let n = 0; n < 20; n++) healthy.push(await database.addEndpoint({ of: 'user', url: good.url }));
  // They have worked until now, but for the first ten, which were never tried.
  await database.query`UPDATE notification_endpoints SET last_ms = 5 WHERE id <> ALL(${slow.slice(0, 10)}::uuid[])`;
  await database.addDeliveries(slow[0] ?? '', 10_000);
  for (const id of slow.slice(1, 15)) await database.addDeliveries(id, 100);
  for (const id of healthy) await database.addDeliveries(id, 20);

  const deliverer = new Deliverer({
    database,
    queues: [
      createWebhookQueue({
        database,
        send: createSendWebhook({
          sealer: createTargetSealer(endpointKeys),
          post: createPost({
            rules: createAddressRules(['127.0.0.0/8']),
            resolve: createResolve(),
            deadlineMs: 60_000,
          }),
          clock: systemClock,
        }),
      }),
    ],
    metrics: createNotifierMetrics(createMetrics('notifier', { forProcess: false })),
    log: silent,
  });
  await deliverer.start();
  const count = async (ids: readonly string[], state: string) => {
    const [row] = await database.query<{ count: number }>`
      SELECT count(*)::int AS count FROM notification_deliveries
      WHERE endpoint_id = ANY(${ids}::uuid[]) AND state = ${state}::delivery_state`;
    return row?.count ?? 0;
  };
  await eventually(
    'the healthy ones have everything',
    async () => (await count(healthy, 'delivered')) === 400,
  );
  // Five that used to work have four each, and those that were never tried one each.
  expect(await count(slow, 'sending')).toBeLessThanOrEqual(5 * 4 + 10);
  expect(await count(slow, 'delivered')).toBe(0);
  await hanging[Symbol.asyncDispose]();
  await deliverer.stop();
});

test.each([
  ['healthy', 5, 4],
  ['slow', 5_000, 1],
] as const)('one user leaves slots for %s receivers to the others', async (kind, lastMs, ofOther) => {
  await using database = await openNotifierDatabase();
  for (let n = 0; n < 24; n++) await database.addDeliveries(await database.addEndpoint({ of: 'user' }), 4);
  const other = randomUUID();
  const late = await database.addEndpoint({ of: 'user' });
  await database.query`INSERT INTO users (id, name) VALUES (${other}::uuid, 'bob')`;
  await database.addDeliveries(late, 4);
  await database.query`UPDATE notification_endpoints SET last_ms = ${lastMs}::int`;
  await database.query`UPDATE notification_endpoints SET user_id = ${other}::uuid WHERE id = ${late}::uuid`;
  const busyUsers = { healthy: [] as string[], slow: [] as string[] };
  const claimed: string[] = [];
  const claim = async () => {
    const found = await claimForWebhooks(database, { ...webhookSlots, busyUsers });
    claimed.push(...found.map(({ userId }) => userId));
    return found.length;
  };
  await claim();
  expect(claimed.filter((userId) => userId === database.userId)).toHaveLength(perUser[kind]);
  // The user who has enough is passed over: so the other one's turn comes, however many wait before it.
  busyUsers[kind].push(database.userId);
  await claim();
  expect(claimed.filter((userId) => userId === other)).toHaveLength(ofOther);
  expect(claimed).toHaveLength(perUser[kind] + ofOther);
});
