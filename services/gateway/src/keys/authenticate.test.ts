import { randomUUID } from 'node:crypto';
import { credentialRevokedEvent, encodePublished, subjectsFor } from '@expert-relay/contracts';
import { makeApiKey } from '@expert-relay/kit/api-key';
import { createFakeClock, createTcpProxy, eventually } from '@expert-relay/testkit';
import { describe, expect, test } from '@jest/globals';
import { connect } from 'nats';
import { routes } from '../routes/index.ts';
import { ask } from '../testing/ask.ts';
import { startTestGateway, useTestGateway } from '../testing/test-gateway.ts';

const gateway = useTestGateway();

const withKey = (key: string | string[] | undefined, path = '/api/v1/whoami', method = 'GET') =>
  ask(gateway.url, { path, method, ...(key !== undefined && { headers: { 'x-api-key': key } }) });
const submit = (body: unknown, headers = {}) =>
  ask(gateway.url, {
    method: 'POST',
    path: '/api/v1/help',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

describe('each route with a key in its header accepts keys of its kinds only:', () => {
  const byHeader = routes.filter(({ key }) => key?.from === 'header');
  test.each(byHeader.map(({ method, path, key }) => [method, path, key?.kinds] as const))(
    '%s %s takes %j',
    async (method, path, kinds) => {
      const url = path.replace(/:\w+/, 'abc');
      for (const kind of ['consumer', 'provider'] as const) {
        const response = await withKey(gateway[kind].text, url, method);
        expect(response.status).toBe(kinds?.includes(kind) ? 200 : 401);
      }
    },
  );
});

describe('a key in the header is 401 when it is', () => {
  test.each([
    ['missing', () => undefined],
    ['empty', () => ''],
    ['without a known prefix', () => 'sk_live_123'],
    ['a bare prefix', () => 'hs_'],
    [
      'mistyped',
      () => `${gateway.consumer.text.slice(0, -1)}${gateway.consumer.text.endsWith('0') ? '1' : '0'}`,
    ],
    ['unknown', () => makeApiKey('consumer').text],
    ['sent twice', () => [gateway.consumer.text, gateway.consumer.text]],
    ['sent twice in one', () => `${gateway.consumer.text}, ${gateway.consumer.text}`],
    ['padded', () => `${gateway.consumer.text}x`],
  ])('%s', async (_, key) => {
    const response = await withKey(key());
    expect([response.status, response.json.error]).toEqual([401, 'unauthorized']);
  });

  test('refused, and the reason is counted without the key', async () => {
    const count = (reason: string) => gateway.metric('relay_gateway_auth_failures_total', { reason });
    const before = await Promise.all(['missing', 'malformed', 'wrong_kind', 'unknown'].map(count));
    await withKey(undefined);
    await withKey('not a key');
    await withKey(gateway.consumer.text, '/api/v1/vault');
    await withKey(makeApiKey('provider').text);
    const after = await Promise.all(['missing', 'malformed', 'wrong_kind', 'unknown'].map(count));
    expect(after.map((value, index) => value - (before[index] ?? 0))).toEqual([1, 1, 1, 1]);
  });
});

describe('the poll', () => {
  const poll = (key?: string) => withKey(key, '/api/v1/help/abc');

  test('is served without a key, with a warning in the log', async () => {
    const response = await poll();
    expect(response.status).toBe(200);
    expect(gateway.upstreams.requests.calls.at(-1)?.verified?.principal).toEqual({ kind: 'nobody' });
    expect(gateway.lines).toContainEqual(
      expect.objectContaining({
        level: 'warn',
        msg: expect.stringContaining('without a key'),
        callId: response.headers['x-request-id'],
      }),
    );
  });

  test('refuses a key that is not valid', async () => {
    expect((await poll('')).status).toBe(401);
    expect((await poll(makeApiKey('consumer').text)).status).toBe(401);
    expect((await poll(gateway.provider.text)).status).toBe(200);
    expect(gateway.upstreams.requests.calls.at(-1)?.verified?.principal.kind).toBe('provider');
  });
});

describe('submit', () => {
  test('has its key in the body', async () => {
    expect((await submit({ apiKey: gateway.consumer.text })).status).toBe(200);
    expect(gateway.upstreams.requests.calls.at(-1)?.verified?.principal).toMatchObject({
      kind: 'consumer',
      apiKeyId: gateway.consumer.id,
    });
  });

  test.each([
    ['without', {}],
    ['null as', { apiKey: null }],
  ])('%s apiKey is 400', async (_, body) => {
    const response = await submit(body, { 'x-api-key': gateway.consumer.text });
    expect(response.status).toBe(400);
    expect(response.json).toMatchObject({
      error: 'invalid_request',
      fields: [{ path: 'apiKey', code: 'required', message: expect.any(String) }],
    });
  });

  test('without a body is 400', async () => {
    const response = await ask(gateway.url, { method: 'POST', path: '/api/v1/help' });
    expect([response.status, response.json.error]).toEqual([400, 'invalid_request']);
  });

  test('with a key that is not a text is 400', async () => {
    expect((await submit({ apiKey: [gateway.consumer.text] })).json.fields).toMatchObject([{ code: 'type' }]);
  });

  test.each([
    ['a provider key', () => gateway.provider.text],
    ['an unknown one', () => makeApiKey('consumer').text],
    ['another text', () => 'not a key'],
    ['an empty text', () => ''],
  ])('with %s as the key is 401', async (_, key) => {
    const response = await submit({ apiKey: key() });
    expect([response.status, response.json.error]).toEqual([401, 'unauthorized']);
  });

  test.each([
    ['two keys', '{"apiKey":"a","apiKey":"b"}'],
    ['an array', '[]'],
    ['too deep', `{"a":${'['.repeat(100_000)}`],
    ['__proto__', '{"__proto__":{"apiKey":"a"}}'],
  ])('with %s is 400 before a key is looked up', async (_, body) => {
    const response = await ask(gateway.url, {
      method: 'POST',
      path: '/api/v1/help',
      headers: { 'content-type': 'application/json' },
      body,
    });
    expect([response.status, response.json.error]).toEqual([400, 'invalid_json']);
  });
});

describe('a revoked key', () => {
  test('is refused as soon as the event of its revocation arrives', async () => {
    // Without the event, the cache would keep the key: on this clock its 5 s never end.
    const other = await startTestGateway({ clock: createFakeClock() });
    const key = await other.makeKey('provider');
    const status = async () =>
      (await ask(other.url, { path: '/api/v1/whoami', headers: { 'x-api-key': key.text } })).status;
    expect(await status()).toBe(200);
    await other.prisma.apiKey.update({ where: { id: key.id }, data: { revokedAt: new Date() } });
    expect(await status()).toBe(200);
    const nats = await connect({ servers: new URL(process.env.NATS_URL ?? '').host });
    const event = encodePublished(
      { eventId: randomUUID(), recordedAt: new Date(), userId: key.userId, seq: 0n },
      credentialRevokedEvent({ apiKeyId: key.id }).payload,
    );
    const subject = subjectsFor(other.natsPrefix).event('credential_revoked');
    nats.publish(subject, Buffer.from('not an event'));
    nats.publish(subject, event);
    await nats.flush();
    await eventually('it is refused', async () => (await status()) === 401);
    await nats.close();
    await other.stop();
  });

  test('is refused after 5 s without the event', async () => {
    const clock = createFakeClock();
    const other = await startTestGateway({ clock, env: { NATS_URL: 'nats://127.0.0.1:9' } });
    const key = await other.makeKey('provider');
    const status = async () =>
      (await ask(other.url, { path: '/api/v1/whoami', headers: { 'x-api-key': key.text } })).status;
    expect(await status()).toBe(200);
    await other.prisma.apiKey.update({ where: { id: key.id }, data: { revokedAt: new Date() } });
    expect(await status()).toBe(200);
    clock.advance(5_000);
    expect(await status()).toBe(401);
    await other.stop();
  });

  test('a replaced secret is refused from its end on, by the clock of the database', async () => {
    // Its entry in the cache never gets old: this clock moves only to the end of the secret.
    const clock = createFakeClock();
    const other = await startTestGateway({ clock });
    const key = await other.makeKey('consumer');
    const endsAt = new Date(clock.now() + 4_000);
    await other.prisma.apiKeySecret.updateMany({ where: { apiKeyId: key.id }, data: { expiresAt: endsAt } });
    const status = async () =>
      (await ask(other.url, { path: '/api/v1/whoami', headers: { 'x-api-key': key.text } })).status;
    const isEarly = async () => {
      const [row] = await other.prisma.$queryRaw<[{ early: boolean }]>`
        SELECT clock_timestamp() < ${endsAt}::timestamptz AS early`;
      return row?.early;
    };
    const first = await status();
    if (await isEarly()) expect(first).toBe(200);
    clock.advance(4_000);
    const second = await status();
    if (await isEarly()) expect(second).toBe(200);
    await eventually('it is refused', async () => (await status()) === 401);
    await other.stop();
  });

  test('a secret that has expired after a rotation is refused, and the new one is accepted', async () => {
    const key = await gateway.makeKey('consumer');
    const next = makeApiKey('consumer');
    const { prisma } = gateway;
    await prisma.apiKeySecret.updateMany({
      where: { apiKeyId: key.id },
      data: { expiresAt: new Date(Date.now() - 1_000) },
    });
    await prisma.apiKeySecret.create({
      data: { apiKeyId: key.id, secretDigest: new Uint8Array(next.digest), callId: randomUUID() },
    });
    expect((await withKey(key.text)).status).toBe(401);
    expect((await withKey(next.text)).status).toBe(200);
  });
});

test('while Postgres is away, a key that must be looked up is 503, and other calls succeed', async () => {
  const proxy = await createTcpProxy(process.env.DATABASE_URL ?? '');
  const other = await startTestGateway({ proxy });
  const key = (await other.makeKey('consumer')).text;
  const whoami = () => ask(other.url, { path: '/api/v1/whoami', headers: { 'x-api-key': key } });
  await proxy.cut();
  const refused = await whoami();
  expect([refused.status, refused.json.error]).toEqual([503, 'unavailable']);
  expect(refused.headers['retry-after']).toMatch(/^\d+$/);
  expect((await ask(other.url, { path: '/dashboard' })).status).toBe(200);
  await proxy.restore();
  await eventually('the key is found again', async () => (await whoami()).status === 200);
  await other.stop();
  await proxy.stop();
});
