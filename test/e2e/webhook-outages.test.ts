import { setTimeout as pause } from 'node:timers/promises';
import { type Constellation, startConstellation, type Tenant } from '@expert-relay/constellation';
import { createTcpProxy, eventually, submit, type TcpProxy, testServers } from '@expert-relay/testkit';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { startWebhookReceiver, type WebhookReceiver } from './webhook-receiver.ts';

/* A ledger of events against receipts, while the servers of the notifier and its receiver go away and come back. */

let relay: Constellation;
let tenant: Tenant;
let postgres: TcpProxy;
let nats: TcpProxy;
let receiverProxy: TcpProxy;
let receiver: WebhookReceiver;

beforeAll(async () => {
  const servers = testServers();
  [postgres, nats] = [await createTcpProxy(servers.databaseUrl), await createTcpProxy(servers.natsUrl)];
  receiver = await startWebhookReceiver();
  receiverProxy = await createTcpProxy(receiver.url);
  relay = await startConstellation({
    servers: { natsUrl: nats.url, databaseUrl: postgres.url },
  });
  tenant = await relay.makeTenant();
  const response = await fetch(`${relay.gatewayUrl}/api/v1/webhooks`, {
    method: 'POST',
    headers: { 'x-api-key': tenant.providerKey, 'content-type': 'application/json' },
    body: JSON.stringify({ url: new URL('/hook', receiverProxy.url).href, events: ['request.created'] }),
  });
  expect(response.status).toBe(201);
});
afterAll(async () => {
  await relay?.stop();
  for (const proxy of [postgres, nats, receiverProxy]) await proxy?.stop();
  await receiver?.[Symbol.asyncDispose]();
});

async function submitSome(count: number): Promise<string[]> {
  const requests: string[] = [];
  for (let n = 0; n < count; n++) {
    const { status, body } = await submit(relay.gatewayUrl, tenant.consumerKey);
    expect(status).toBe(201);
    requests.push(body.requestId);
  }
  return requests;
}

/** Time passes until the next attempts of all deliveries that wait. */
async function letPausesPass(): Promise<void> {
  const client = new pg.Client({ connectionString: relay.databaseUrl });
  await client.connect();
  try {
    // The endpoints first, as the notifier locks them.
    await client.query(`
      WITH endpoint AS MATERIALIZED (SELECT id FROM notification_endpoints ORDER BY id FOR UPDATE),
      due AS (
        UPDATE notification_deliveries SET due_at = now() FROM endpoint
        WHERE endpoint_id = endpoint.id AND state = 'waiting' RETURNING endpoint_id
      )
      UPDATE notification_endpoints SET next_due_at = now() WHERE id IN (SELECT endpoint_id FROM due)`);
  } finally {
    await client.end();
  }
}

const cut = (proxy: TcpProxy) => proxy.cut();
const freeze = async (proxy: TcpProxy) => proxy.hold();

test.each([
  ['NATS is away', () => nats, cut, true],
  ['NATS is frozen', () => nats, freeze, true],
  ['Postgres is away', () => postgres, cut, false],
  ['Postgres is frozen', () => postgres, freeze, false],
  ['the receiver is away', () => receiverProxy, cut, true],
  ['the receiver is frozen', () => receiverProxy, freeze, true],
])('while %s, no event is lost, and a repetition has the same id', async (_, proxyOf, disturb, canSubmit) => {
  const expected = await submitSome(10);
  await disturb(proxyOf());
  if (canSubmit) expected.push(...(await submitSome(10)));
  else await pause(1_000);
  await proxyOf().restore();
  expected.push(...(await submitSome(10)));
  const receipts = () =>
    receiver.received.filter(({ event }) => expected.includes(event.data.requestId ?? ''));
  const received = () => new Set(receipts().map(({ event }) => event.data.requestId)).size;
  const isComplete = async () => {
    if (received() < expected.length) await letPausesPass();
    return received() === expected.length;
  };
  // A claim whose response was lost is sent again when its lease of a minute is over.
  await eventually('every event is received', isComplete, { timeoutMs: 180_000 });
  expect(new Set(receipts().map(({ id }) => id)).size).toBe(expected.length);
});
