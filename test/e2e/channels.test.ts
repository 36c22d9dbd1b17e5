import { execFileSync } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { type Constellation, startConstellation } from '@expert-relay/constellation';
import { eventually, signInDev } from '@expert-relay/testkit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { findPythonWithPackages } from '../../scripts/python/find-python.ts';
import { whyMissing } from '../../scripts/servers/find-tool.ts';
import { testUnless } from '../../scripts/testing/test-unless.ts';
import { pythonRequirements } from '../tools.ts';
import { type MailServer, startMailServer } from './mail-server.ts';
import { makePushKeys, type PushService, readVapid, startPushService } from './push-service.ts';

/* Push, email and chat of an expert, with a push service, a mail server and a chat on this machine. */

const python = await findPythonWithPackages(pythonRequirements);

let relay: Constellation;
let push: PushService;
let email: MailServer;
let database: pg.Client;
const vapid = makePushKeys();
const pushKey = vapid.public.toString('base64url');

beforeAll(async () => {
  [push, email] = [await startPushService(), await startMailServer()];
  relay = await startConstellation({
    own: {
      notifier: {
        RELAY_VAPID_KEYS: vapid.private.toString('base64url'),
        RELAY_PUSH_HOSTS: '127.0.0.1',
        RELAY_SMTP_URL: email.url,
        RELAY_EMAIL_FROM: 'Relay <relay@example.com>',
      },
    },
  });
  database = new pg.Client(relay.databaseUrl);
  await database.connect();
});
afterAll(async () => {
  await database.end();
  await relay.stop();
  await Promise.all([push[Symbol.asyncDispose](), email[Symbol.asyncDispose]()]);
});

/** 65 bytes that begin like a key of a browser. */
const offCurve = Buffer.alloc(65, 4).toString('base64url');

let people = 0;

/** An expert who is signed in, with an agent. */
async function newExpert() {
  const name = `expert-${++people}`;
  const cookie = await signInDev(relay.gatewayUrl, name);
  const call = async (
    method: string,
    path: string,
    body?: object,
    // biome-ignore lint/suspicious/noExplicitAny: responses of many forms, which the assertions check
  ): Promise<{ status: number; body: any }> => {
    const response = await fetch(`${relay.gatewayUrl}${path}`, {
      method,
      redirect: 'manual',
      headers: { cookie, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') ?? false;
    return { status: response.status, body: isJson ? JSON.parse(text) : text };
  };
  const { key } = (await call('POST', '/api/keys', { name: 'agent', kind: 'consumer' })).body;
  const submit = async (): Promise<{ requestId: string; refCode: string }> => {
    const submission = {
      apiKey: key,
      messages: [],
      question: 'May I?',
      plaintext: 'May I?',
      agentName: 'builder',
    };
    const response = await fetch(`${relay.gatewayUrl}/api/v1/help`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(submission),
    });
    return (await response.json()) as { requestId: string; refCode: string };
  };
  const answer = (requestId: string) =>
    call('POST', `/api/requests/${requestId}/messages`, { plaintext: 'Yes.' });
  const add = async (channel: object) => (await call('POST', '/api/notifications/channels', channel)).body;
  const channels = async () => (await call('GET', '/api/notifications')).body.channels;
  return { cookie, call, submit, answer, add, channels };
}

/** Lets the delays pass of all that waits. */
const passDelays = () =>
  database.query(`
    UPDATE notification_deliveries SET due_at = now() WHERE state = 'waiting';
    UPDATE notification_endpoints SET next_due_at = now()`);

/** Waits until the reader has made the deliveries of a request. */
const untilNotified = (requestId: string, type = 'request.created') =>
  eventually('the request is read', async () => {
    const { rowCount } = await database.query(
      'SELECT 1 FROM notification_deliveries WHERE request_id = $1 AND type = $2',
      [requestId, type],
    );
    return (rowCount ?? 0) > 0;
  });

describe('push', () => {
  testUnless(whyMissing(python))(
    'is encrypted for the browser, signed by the relay, and has the question only if wanted',
    async () => {
      const expert = await newExpert();
      const { body } = await expert.call('GET', '/api/notifications');
      expect(body).toEqual({
        pushKey,
        canEmail: true,
        channels: [],
        pausedUntil: null,
        quietHours: null,
      });
      const subscription = push.subscribe('first');
      const channel = await expert.add({ kind: 'push', subscription, label: 'Firefox on Linux' });
      expect(channel).toMatchObject({
        kind: 'push',
        enabled: true,
        confirmed: true,
        delaySeconds: 0,
        pushKey,
      });
      expect(JSON.stringify(channel)).not.toContain('/first');
      const arrived = () => push.received.filter(({ path }) => path === '/first');
      const { requestId, refCode } = await expert.submit();
      await eventually('the push arrives', () => arrived().length === 1);
      await expert.call('PUT', `/api/notifications/channels/${channel.id}`, { showQuestion: true });
      const other = await expert.submit();
      await eventually('the second arrives', () => arrived().length === 2);
      await expert.call('POST', `/api/notifications/channels/${channel.id}/test`);
      await eventually('the test arrives', () => arrived().length === 3);

      const [first, second, test] = arrived();
      expect(Number(first?.headers.ttl)).toBeGreaterThan(71 * 3_600);
      expect(first?.headers).toMatchObject({ urgency: 'high', topic: expect.stringMatching(/^[\w-]{32}$/) });
      expect(first?.headers.topic).not.toBe(second?.headers.topic);
      expect(test?.headers.topic).toBeUndefined();
      const claims = readVapid(first?.headers.authorization ?? '', pushKey);
      expect(claims.aud).toBe(push.origin);
      expect(Number(claims.exp)).toBeLessThanOrEqual(Date.now() / 1_000 + 86_400);

      if ('missing' in python) throw new Error(python.missing);
      const script = fileURLToPath(new URL('decrypt-push.py', import.meta.url));
      const bodies = arrived().map((one) => one.body.toString('base64'));
      const input = JSON.stringify({ ...push.browser, bodies });
      const texts: string[] = JSON.parse(execFileSync(python.program, [script], { input, encoding: 'utf8' }));
      const shared = { type: 'request', event: 'request.created', title: 'builder asks a question' };
      const ofRequest = (id: string, code: string, question: string | null) => ({
        ...shared,
        requestId: id,
        refCode: code,
        question,
        url: `/dashboard/code/${code}`,
      });
      expect(texts.map((text) => JSON.parse(text))).toEqual([
        ofRequest(requestId, refCode, null),
        ofRequest(other.requestId, other.refCode, 'May I?'),
        { type: 'test', url: '/dashboard/settings' },
      ]);
    },
  );

  test('belongs to the user who registered it last, and is removed when its service does not know it any more', async () => {
    const [first, second] = [await newExpert(), await newExpert()];
    const subscription = push.subscribe('moved');
    await first.add({ kind: 'push', subscription });
    await second.add({ kind: 'push', subscription });
    expect(await first.channels()).toEqual([]);
    const [channel] = await second.channels();
    await second.add({ kind: 'push', subscription, delaySeconds: 0 });
    expect((await second.channels()).map(({ id }: { id: string }) => id)).toEqual([channel.id]);
    push.forget('moved');
    await second.submit();
    await eventually('it is removed', async () => (await second.channels()).length === 0);
  });

  test('ends when the browser signs out, and not when another session does', async () => {
    const expert = await newExpert();
    await expert.add({ kind: 'push', subscription: push.subscribe('signed-out') });
    const { body } = await expert.call('GET', '/api/me');
    await expert.call('POST', '/logout');
    await eventually('it is removed', async () => {
      const { rowCount } = await database.query('SELECT 1 FROM notification_endpoints WHERE user_id = $1', [
        body.userId,
      ]);
      return rowCount === 0;
    });
  });

  test.each([
    ['of an unknown service', { endpoint: 'https://push.evil.example/1' }],
    ['of an inner address', { endpoint: 'https://10.0.0.1/1' }],
    ['with a key that is none', { keys: { p256dh: 'abc', auth: 'abc' } }],
    ['with a key that is not on the curve', { keys: { p256dh: offCurve, auth: 'A'.repeat(22) } }],
  ])('%s is refused', async (_, members) => {
    const expert = await newExpert();
    const subscription = { ...push.subscribe('refused'), ...members };
    const response = await expert.call('POST', '/api/notifications/channels', { kind: 'push', subscription });
    expect([response.status, response.body.error]).toEqual([400, 'invalid_request']);
  });
});

describe('email', () => {
  const emailsTo = (address: string) => email.emails.filter(({ to }) => to === address);
  const linkIn = (text: string, path: string) =>
    new RegExp(`http://\\S+${path}\\?[^\\s>]+`).exec(text)?.[0] ?? '';

  test('goes to an address after it was confirmed, names several requests, and ends with one click', async () => {
    const expert = await newExpert();
    const address = 'ada@example.com';
    const channel = await expert.add({ kind: 'email', address, showQuestion: true });
    expect(channel).toMatchObject({ address, confirmed: false, delaySeconds: 300 });
    const path = `/api/notifications/channels/${channel.id}`;
    expect((await expert.call('POST', `${path}/test`)).body.error).toBe('channel_off');
    await eventually('the link arrives', () => emailsTo(address).length === 1);
    const link = new URL(linkIn(emailsTo(address)[0]?.text ?? '', '/dashboard/confirm-email'));
    expect(link.searchParams.get('channel')).toBe(channel.id);
    const token = link.searchParams.get('token') ?? '';
    const confirm = (text: string) => expert.call('POST', `${path}/confirm`, { token: text });
    expect((await confirm(`${token}x`)).body.error).toBe('confirmation_invalid');
    expect((await (await newExpert()).call('POST', `${path}/confirm`, { token })).status).toBe(404);
    expect((await confirm(token)).body.confirmed).toBe(true);
    expect((await confirm(token)).status).toBe(200);

    const requests = [await expert.submit(), await expert.submit()];
    for (const { requestId } of requests) await untilNotified(requestId);
    await passDelays();
    await eventually('the requests arrive', () => emailsTo(address).length === 2);
    const text = emailsTo(address)[1]?.text ?? '';
    for (const { refCode, requestId } of requests) {
      expect(text).toContain(
        `builder asks a question (${refCode}).\r\n> May I?\r\n${relay.gatewayUrl}/dashboard/code/${refCode}`,
      );
      expect(text).not.toContain(requestId);
    }
    const [{ refCode, requestId }] = requests as [(typeof requests)[0]];
    const page = await fetch(`${relay.gatewayUrl}/dashboard/code/${refCode.toLowerCase()}`, {
      headers: { cookie: expert.cookie },
      redirect: 'manual',
    });
    expect([page.status, page.headers.get('location')]).toEqual([303, `/dashboard/requests/${requestId}`]);

    const unsubscribe = linkIn(text, '/unsubscribe');
    expect((await fetch(unsubscribe)).status).toBe(200);
    expect((await expert.channels())[0].enabled).toBe(true);
    const click = (address: string) =>
      fetch(address, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: 'List-Unsubscribe=One-Click',
      });
    expect((await click(`${unsubscribe}x`)).status).toBe(404);
    expect((await click(unsubscribe)).status).toBe(200);
    const off = { enabled: false, confirmed: false, offReason: 'unsubscribed' };
    expect((await expert.channels())[0]).toMatchObject(off);
    expect((await expert.call('POST', `${path}/send-confirmation`)).body.error).toBe('emails_stopped');
  });

  test('confirmations are limited: three an hour of a user, and three a day to an address', async () => {
    const [first, second] = [await newExpert(), await newExpert()];
    const channel = await first.add({ kind: 'email', address: 'limit@example.com' });
    const path = `/api/notifications/channels/${channel.id}/send-confirmation`;
    const statuses = [];
    for (let n = 0; n < 3; n++) statuses.push((await first.call('POST', path)).status);
    expect(statuses).toEqual([202, 202, 429]);
    const refused = { kind: 'email', address: 'LIMIT@example.com' };
    expect((await second.call('POST', '/api/notifications/channels', refused)).status).toBe(429);
    expect(await second.channels()).toEqual([]);
  });

  test.each([
    'ada',
    'ada@example',
    'ada@example.com, bob@example.com',
    'Ada <ada@example.com>',
    'ada@[127.0.0.1]',
    'ada@example.com\r\nRCPT TO:<bob@example.com>',
    '"ada\u0000"@example.com',
  ])('is refused to %j', async (address) => {
    const expert = await newExpert();
    expect(
      (await expert.call('POST', '/api/notifications/channels', { kind: 'email', address })).status,
    ).toBe(400);
  });
});

test('a chat is notified of a request and then of its answer, in the form of Slack', async () => {
  const messages: Record<string, unknown>[] = [];
  const chat = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = JSON.parse(Buffer.concat(chunks).toString());
    const isValid = request.headers['content-type'] === 'application/json' && body.text?.length <= 40_000;
    if (isValid) messages.push(body);
    response.writeHead(isValid ? 200 : 400).end(isValid ? 'ok' : 'invalid_payload');
  });
  await new Promise<void>((resolve) => chat.listen(0, '127.0.0.1', resolve));
  try {
    const expert = await newExpert();
    const url = `http://127.0.0.1:${(chat.address() as AddressInfo).port}/services/T0/B0/secret`;
    const channel = await expert.add({ kind: 'chat', url, delaySeconds: 900 });
    expect(JSON.stringify(channel)).not.toContain('secret');
    const { requestId, refCode } = await expert.submit();
    await untilNotified(requestId);
    await passDelays();
    await eventually('the message arrives', () => messages.length === 1);
    expect(messages[0]?.text).toContain(`${refCode} ${relay.gatewayUrl}/dashboard/code/${refCode}`);
    await expert.answer(requestId);
    await eventually('the answer is reported', () => messages.length === 2);
    expect(messages[1]).toMatchObject({ text: `Answered: ${refCode}`, unfurl_links: false });
    const { deliveries } = (await expert.call('GET', `/api/notifications/channels/${channel.id}/deliveries`))
      .body;
    expect(deliveries.map(({ type, state }: Record<string, string>) => `${type} ${state}`)).toEqual([
      'request.answered delivered',
      'request.created delivered',
    ]);
  } finally {
    chat.closeAllConnections();
    await new Promise((resolve) => chat.close(resolve));
  }
});

test('a change of the pause keeps the quiet hours, and the reverse; both are checked, as delays are', async () => {
  const expert = await newExpert();
  const set = (settings: object) => expert.call('PUT', '/api/notifications', settings);
  const quietHours = { from: '22:00', to: '07:00', timeZone: 'Europe/Berlin' };
  const pausedUntil = new Date(Date.now() + 3_600_000).toISOString();
  expect((await set({ quietHours, pausedUntil })).body).toMatchObject({ quietHours, pausedUntil });
  const inZone = `${new Date(Date.parse(pausedUntil) + 23 * 3_600_000).toISOString().slice(0, -1)}+23:00`;
  expect((await set({ pausedUntil: inZone })).body).toMatchObject({ pausedUntil });
  expect((await set({ quietHours: null })).body).toMatchObject({ quietHours: null, pausedUntil });
  expect((await set({ quietHours })).body).toMatchObject({ quietHours, pausedUntil });
  expect((await set({ pausedUntil: null })).body).toMatchObject({ quietHours, pausedUntil: null });
  // Two pages at the same time: neither brings back what the other has ended.
  await Promise.all([set({ quietHours: null }), set({ pausedUntil })]);
  expect((await set({})).body).toMatchObject({ quietHours: null, pausedUntil });
  await Promise.all([set({ quietHours }), set({ pausedUntil: null })]);
  expect((await set({})).body).toMatchObject({ quietHours, pausedUntil: null });
  expect((await set({ quietHours: null })).body).toMatchObject({ quietHours: null });
  for (const wrong of [
    { pausedUntil: new Date(Date.now() - 1_000).toISOString() },
    { pausedUntil: '2999-01-01T00:00:00Z' },
    { quietHours: { ...quietHours, from: '24:00' } },
    { quietHours: { ...quietHours, to: '22:00' } },
    { quietHours: { ...quietHours, timeZone: 'Mars/Olympus' } },
    { quietHours: { ...quietHours, timeZone: '../etc/passwd' } },
  ])
    expect((await set(wrong)).status).toBe(400);
  const channel = { kind: 'email', address: 'delay@example.com' };
  for (const delaySeconds of [59, 86_401, 0.5, '60'])
    expect(
      (await expert.call('POST', '/api/notifications/channels', { ...channel, delaySeconds })).status,
    ).toBe(400);
  const { id } = await expert.add({ ...channel, delaySeconds: 60 });
  expect((await expert.call('PUT', `/api/notifications/channels/${id}`, { delaySeconds: 59 })).status).toBe(
    400,
  );
});
