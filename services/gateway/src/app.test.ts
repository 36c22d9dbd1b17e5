import { describe, expect, test } from '@jest/globals';
import { ask, type HttpResponse } from './testing/ask.ts';
import { useTestGateway } from './testing/test-gateway.ts';

const gateway = useTestGateway({
  env: { RELAY_CORS_ORIGINS: 'https://project.example', RELAY_RATE_LIMIT_POLL: '1' },
});

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const call = (path: string, method = 'GET', headers = {}, body?: string) =>
  ask(gateway.url, { path, method, headers, ...(body !== undefined && { body }) });

function expectAllHeaders(response: HttpResponse): void {
  expect(response.headers).toMatchObject({
    'strict-transport-security': 'max-age=31536000',
    'x-frame-options': 'DENY',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'origin-when-cross-origin',
    'content-security-policy': expect.stringContaining("default-src 'self'"),
    'x-request-id': expect.stringMatching(uuid),
    vary: expect.stringMatching(/^Origin/),
  });
  expect(response.headers).not.toHaveProperty('x-powered-by');
}

describe('every response carries the security headers, a request id and Vary:', () => {
  test.each([
    [200, 'a forwarded call', () => call('/api/v1/whoami', 'GET', { 'x-api-key': gateway.consumer.text })],
    [200, "the gateway's own route", () => call('/api/health')],
    [204, 'OPTIONS', () => call('/api/v1/help', 'OPTIONS')],
    [
      204,
      'a preflight',
      () =>
        call('/api/v1/help', 'OPTIONS', {
          origin: 'https://foreign.example',
          'access-control-request-method': 'POST',
        }),
    ],
    [
      400,
      'a missing key in the body',
      () => call('/api/v1/help', 'POST', { 'content-type': 'application/json' }, '{}'),
    ],
    [400, 'broken JSON', () => call('/api/v1/help', 'POST', { 'content-type': 'application/json' }, '{')],
    [401, 'a missing key', () => call('/api/v1/whoami')],
    [404, 'an unknown path', () => call('/unknown')],
    [404, 'an unknown v1 path', () => call('/api/v1/unknown')],
    [405, 'another method', () => call('/api/v1/help')],
    [
      413,
      'a body that is too large',
      () => call('/api/v1/help', 'POST', { 'content-length': 1_048_577, connection: 'close' }),
    ],
    [415, 'another type', () => call('/api/v1/help', 'POST', { 'content-type': 'text/plain' }, '{}')],
    [429, 'a call above the limit', () => call('/api/v1/help/a').then(() => call('/api/v1/help/a'))],
  ])('%i, %s', async (status, _, send) => {
    const received = await send();
    expect(received.status).toBe(status);
    expectAllHeaders(received);
    if (status < 400) return;
    expect(received.headers['content-type']).toBe('application/problem+json');
    expect(received.json).toMatchObject({
      type: expect.stringContaining(`errors.md#${received.json.error}`),
      title: expect.any(String),
      detail: expect.any(String),
      status,
    });
  });
});

describe('the request id', () => {
  test('is new for each call, replaces that of the client, and is sent to the service', async () => {
    const response = await call('/api/v1/whoami', 'GET', {
      'x-api-key': gateway.consumer.text,
      'x-request-id': 'mine',
    });
    const received = gateway.upstreams.requests.calls.at(-1);
    expect(response.headers['x-request-id']).toMatch(uuid);
    expect(received?.headers['x-request-id']).toBe(response.headers['x-request-id']);
    expect(received?.verified?.callId).toBe(response.headers['x-request-id']);
  });
});

describe('the trace', () => {
  const traceOf = async (headers: Record<string, string>) => {
    const { headers: answered } = await call('/dashboard', 'GET', headers);
    const received = gateway.upstreams.dashboard.calls.at(-1)?.headers;
    return {
      id: String(answered['x-request-id']),
      traceparent: received?.traceparent,
      tracestate: received?.tracestate,
    };
  };

  test('of the client is kept', async () => {
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    expect(await traceOf({ traceparent, tracestate: 'a=b' })).toMatchObject({
      traceparent,
      tracestate: 'a=b',
    });
  });

  test.each(['', 'nonsense', `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`])(
    'of the client is replaced when it is %j',
    async (given) => {
      const { id, traceparent, tracestate } = await traceOf({ traceparent: given, tracestate: 'a=b' });
      const digits = id.replaceAll('-', '');
      expect(traceparent).toBe(`00-${digits}-${digits.slice(16)}-00`);
      expect(tracestate).toBeUndefined();
    },
  );
});

describe('CORS', () => {
  const preflight = (origin: string, path = '/api/v1/help') =>
    call(path, 'OPTIONS', {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type,x-api-key',
    });

  test.each(['https://relay.example', 'https://project.example'])('%s may call', async (origin) => {
    expect((await preflight(origin)).headers).toMatchObject({
      'access-control-allow-origin': origin,
      'access-control-allow-methods': 'GET, POST, PUT, DELETE, OPTIONS',
      'access-control-allow-headers': 'Content-Type, Authorization, x-api-key',
      'access-control-max-age': '86400',
    });
    const response = await call('/api/v1/whoami', 'GET', { origin, 'x-api-key': gateway.consumer.text });
    expect(response.headers['access-control-allow-origin']).toBe(origin);
    expect((await call('/unknown', 'GET', { origin })).headers['access-control-allow-origin']).toBe(origin);
  });

  test.each([
    'https://foreign.example',
    'http://relay.example',
    'https://relay.example:8443',
    'null',
    'https://relay.example.foreign.example',
  ])('%s gets no allow header', async (origin) => {
    for (const response of [await preflight(origin), await call('/api/health', 'GET', { origin })]) {
      expect(Object.keys(response.headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
      expect(response.headers.vary).toBe('Origin');
    }
  });

  test('credentials are not allowed, since pages call with a key', async () => {
    expect((await preflight('https://relay.example')).headers).not.toHaveProperty(
      'access-control-allow-credentials',
    );
  });
});

describe('methods', () => {
  test.each([
    ['/api/v1/help', 'GET', 'POST, OPTIONS'],
    ['/api/v1/whoami', 'POST', 'GET, HEAD, OPTIONS'],
    ['/api/keys/1', 'GET', 'PUT, DELETE, OPTIONS'],
    ['/dashboard', 'TRACE', 'GET, HEAD, OPTIONS'],
    ['/logout', 'GET', 'POST, OPTIONS'],
    ['/api/health', 'DELETE', 'GET, HEAD, OPTIONS'],
  ])('%s does not accept %s', async (path, method, allow) => {
    const response = await call(path, method);
    expect(response.status).toBe(405);
    expect(response.headers.allow).toBe(allow);
    expect(response.json.error).toBe('method_not_allowed');
  });

  test('OPTIONS lists the methods of a path', async () => {
    const response = await call('/api/v1/vault', 'OPTIONS');
    expect([response.status, response.headers.allow]).toEqual([204, 'GET, HEAD, PUT, OPTIONS']);
    expect((await call('/unknown', 'OPTIONS')).status).toBe(404);
  });

  test('HEAD is a GET without its body', async () => {
    const own = await call('/api/health', 'HEAD');
    expect([own.status, own.body]).toEqual([200, '']);
    const forwarded = await call('/api/v1/whoami', 'HEAD', { 'x-api-key': gateway.consumer.text });
    expect([forwarded.status, forwarded.body]).toEqual([200, '']);
    expect(Number(forwarded.headers['content-length'])).toBeGreaterThan(0);
    const refused = await call('/unknown', 'HEAD');
    expect([refused.status, refused.body]).toEqual([404, '']);
  });
});

describe('a call is recorded', () => {
  test('in one log line with the template and no secret', async () => {
    const response = await call('/api/v1/close/a-secret-id?q=hidden', 'POST', {
      'x-api-key': gateway.consumer.text,
      cookie: 'session=hidden',
    });
    const lines = gateway.lines.filter(({ callId }) => callId === response.headers['x-request-id']);
    expect(lines).toEqual([
      expect.objectContaining({
        msg: 'call',
        method: 'POST',
        route: '/api/v1/close/:requestId',
        status: 200,
        caller: 'consumer',
        ms: expect.any(Number),
        traceparent: expect.any(String),
      }),
    ]);
    expect(JSON.stringify(gateway.lines)).not.toMatch(
      new RegExp(`hidden|a-secret-id|${gateway.consumer.text}`),
    );
  });

  test('in the metric, by template, status and kind of caller', async () => {
    const count = (labels: Record<string, string>) =>
      gateway.metric('relay_http_request_seconds_count', labels);
    const before = await count({ route: 'none', status: '404', caller: 'none', method: 'GET' });
    await call('/unknown/path');
    await call('/api/v1/requests/by-ref/HS-12345678', 'GET', { 'x-api-key': gateway.consumer.text });
    expect(await count({ route: 'none', status: '404', caller: 'none', method: 'GET' })).toBe(before + 1);
    const route = '/api/v1/requests/by-ref/:refCode';
    expect(await count({ route, status: '200', caller: 'consumer' })).toBe(1);
    expect(await count({ route: '/api/v1/requests/by-ref/HS-12345678' })).toBe(0);
  });
});
