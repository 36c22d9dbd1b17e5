import { createHash } from 'node:crypto';
import { type Constellation, startConstellation } from '@expert-relay/constellation';
import {
  createTcpProxy,
  eventually,
  signInDev,
  submit,
  type TcpProxy,
  testServers,
} from '@expert-relay/testkit';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { type MailServer, startMailServer } from './mail-server.ts';
import { makePushKeys, type PushService, startPushService } from './push-service.ts';
import { startWebhookReceiver, type WebhookReceiver } from './webhook-receiver.ts';

/* A ledger of requests against what push, email and chat got, while their receivers and the servers of the notifier go away and come back. */

type Receiver = 'push' | 'email' | 'chat';

let relay: Constellation;
let consumerKey: string;
let push: PushService;
let email: MailServer;
let chat: WebhookReceiver;
let proxies: Record<Receiver | 'postgres' | 'nats', TcpProxy>;
let pushId: string;
let database: pg.Client;

beforeAll(async () => {
  const servers = testServers();
  [push, email, chat] = [await startPushService(), await startMailServer(), await startWebhookReceiver()];
  proxies = {
    push: await createTcpProxy(push.origin),
    email: await createTcpProxy(email.url),
    chat: await createTcpProxy(chat.url),
    postgres: await createTcpProxy(servers.databaseUrl),
    nats: await createTcpProxy(servers.natsUrl),
  };
  relay = await startConstellation({
    servers: { natsUrl: proxies.nats.url, databaseUrl: proxies.postgres.url },
    own: {
      notifier: {
        RELAY_VAPID_KEYS: makePushKeys().private.toString('base64url'),
        RELAY_PUSH_HOSTS: '127.0.0.1',
        RELAY_SMTP_URL: proxies.email.url,
        RELAY_EMAIL_FROM: 'relay@example.com',
      },
    },
  });
  const cookie = await signInDev(relay.gatewayUrl, 'ada');
  const make = async (path: string, body: object) => {
    const response = await fetch(`${relay.gatewayUrl}${path}`, {
      method: 'POST',
      headers: { cookie, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect(response.status).toBe(201);
    return (await response.json()) as { id: string; key: string };
  };
  consumerKey = (await make('/api/keys', { name: 'agent', kind: 'consumer' })).key;
  const add = (channel: object) => make('/api/notifications/channels', channel);
  const { keys } = push.subscribe('ada');
  const subscription = { endpoint: new URL('/ada', proxies.push.url).href, keys };
  pushId = (await add({ kind: 'push', subscription })).id;
  await add({ kind: 'chat', url: new URL('/hook', proxies.chat.url).href, delaySeconds: 0 });
  await add({ kind: 'email', address: 'ada@example.com', delaySeconds: 60 });
  // Past the proxy, which some tests close.
  const direct = new URL(relay.databaseUrl);
  const { host } = new URL(servers.databaseUrl);
  direct.host = host;
  database = new pg.Client(direct.href);
  await database.connect();
  await eventually('the link is sent', () => email.emails.length === 1);
  await database.query('UPDATE notification_endpoints SET confirmed_at = now()');
});
afterAll(async () => {
  await database?.end();
  await relay?.stop();
  for (const proxy of Object.values(proxies ?? {})) await proxy.stop();
  for (const server of [push, email, chat]) await server?.[Symbol.asyncDispose]();
});

async function submitSome(): Promise<{ requestId: string; refCode: string }[]> {
  const requests = [];
  for (let n = 0; n < 3; n++) {
    const { status, body } = await submit(relay.gatewayUrl, consumerKey);
    expect(status).toBe(201);
    requests.push(body);
  }
  return requests;
}

/** Time passes until the next attempts of all that waits. */
const letPausesPass = () =>
  database.query(`
    WITH endpoint AS MATERIALIZED (SELECT id FROM notification_endpoints ORDER BY id FOR NO KEY UPDATE),
    due AS (
      UPDATE notification_deliveries SET due_at = now() FROM endpoint
      WHERE endpoint_id = endpoint.id AND state = 'waiting' RETURNING endpoint_id
    )
    UPDATE notification_endpoints SET next_due_at = now(), sent_at = NULL WHERE id IN (SELECT endpoint_id FROM due)`);

const topicOf = (requestId: string) =>
  createHash('sha256').update(`${pushId} ${requestId}`).digest('base64url').slice(0, 32);

const isReceived: Record<Receiver, (request: { requestId: string; refCode: string }) => boolean> = {
  push: ({ requestId }) => push.received.some(({ headers }) => headers.topic === topicOf(requestId)),
  email: ({ refCode }) => email.emails.some(({ text }) => text.includes(refCode)),
  chat: ({ refCode }) => chat.received.some(({ body }) => body.includes(refCode)),
};
const receivers = ['push', 'email', 'chat'] as const;

const cut = (proxy: TcpProxy) => proxy.cut();
const freeze = async (proxy: TcpProxy) => proxy.hold();

test.each([
  ['the push service is away', 'push', cut],
  ['the push service is frozen', 'push', freeze],
  ['the mail server is away', 'email', cut],
  ['the mail server is frozen', 'email', freeze],
  ['the chat is away', 'chat', cut],
  ['the chat is frozen', 'chat', freeze],
  ['NATS is away', 'nats', cut],
  ['Postgres is away', 'postgres', cut],
  ['Postgres is frozen', 'postgres', freeze],
] as const)('while %s, every request reaches push, email and chat', async (_, name, disturb) => {
  const requests = await submitSome();
  await disturb(proxies[name]);
  if (name !== 'postgres') requests.push(...(await submitSome()));
  const isHurt = receivers.some((receiver) => receiver === name);
  // An attempt must have failed before the receiver is back.
  if (isHurt)
    await eventually('an attempt has failed', async () => {
      await letPausesPass();
      const { rowCount } = await database.query(
        "SELECT 1 FROM notification_deliveries WHERE state = 'waiting' AND reason IS NOT NULL",
      );
      return (rowCount ?? 0) > 0;
    });
  await proxies[name].restore();
  requests.push(...(await submitSome()));
  const missing = () =>
    receivers.filter((receiver) => !requests.every((request) => isReceived[receiver](request)));
  // A claim whose response was lost is sent again when its lease of a minute is over.
  await eventually(
    () => `${missing()} have every request`,
    async () => {
      if (missing().length > 0) await letPausesPass();
      return missing().length === 0;
    },
    { timeoutMs: 180_000 },
  );
  await eventually('each is recorded as delivered', async () => {
    const { rows } = await database.query('SELECT DISTINCT state FROM notification_deliveries');
    return rows.length === 1 && rows[0].state === 'delivered';
  });
});
