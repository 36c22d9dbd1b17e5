import { expect, test } from '@jest/globals';
import { ask } from '../testing/ask.ts';
import { useTestGateway } from '../testing/test-gateway.ts';

/* A person whose browser opens an address gets each error as a page, also those of the gateway itself. */

const gateway = useTestGateway({
  env: { RELAY_RATE_LIMIT_PAGES: '1', RELAY_TRUSTED_PROXIES: '127.0.0.1' },
});
const browser = {
  accept: 'text/html,application/xhtml+xml,*/*;q=0.8',
  'sec-fetch-mode': 'navigate',
};
let calls = 0;

/** A call from an address of its own, unless the limit of one is meant. */
function open(path: string, { method = 'GET', body = '', headers = {}, from = '' } = {}) {
  calls += 1;
  const address = from || `192.0.2.${calls}`;
  return ask(gateway.url, {
    path,
    method,
    body,
    headers: { ...browser, 'x-forwarded-for': address, ...headers },
  });
}

test.each([
  ['a mistyped address', 404, '/nothing', {}],
  ['a mistyped address of the dashboard', 404, '/dashboard-x', {}],
  ['a wrong method', 405, '/logout', {}],
  ['a GET with a body', 400, '/dashboard', { body: 'a=b', headers: { 'content-length': '3' } }],
  [
    'a form that is too large',
    413,
    '/auth/dev',
    { method: 'POST', headers: { 'content-length': '9000000' } },
  ],
])('%s', async (_name, status, path, options) => {
  const response = await open(path, options);
  expect(response.status).toBe(status);
  expect(response.headers['content-type']).toBe('text/html; charset=utf-8');
  expect(response.headers['content-security-policy']).toContain("default-src 'none'; style-src 'sha256-");
  expect(response.headers['x-request-id']).toBeDefined();
  expect(response.headers.refresh).toBeUndefined();
  expect(response.body).toContain('<a class="button main" href="/dashboard">');
});

test('too many calls: the page tries again when it may', async () => {
  const from = '198.51.100.1';
  expect((await open('/dashboard', { from })).status).toBe(200);
  const { status, headers, body } = await open('/dashboard', { from });
  expect({ status, type: headers['content-type'] }).toEqual({
    status: 429,
    type: 'text/html; charset=utf-8',
  });
  expect(headers.refresh).toBe(headers['retry-after']);
  expect(body).toContain(`This page tries again every ${headers['retry-after']} seconds.`);
  const api = await open('/api/me', { from });
  expect(api.headers['content-type']).toBe('application/problem+json');
});

test('the dashboard is away: pages that are read try again, and a form does not', async () => {
  await gateway.upstreams.dashboard.stop();
  const page = await open('/dashboard');
  expect(page.status).toBe(503);
  expect(page.headers).toMatchObject({ 'content-type': 'text/html; charset=utf-8', refresh: '5' });
  expect(page.body).toContain('Back in a moment');
  const form = await open('/logout', { method: 'POST', headers: { origin: 'https://relay.example' } });
  expect(form.status).toBe(503);
  expect(form.headers.refresh).toBeUndefined();
  expect(form.body).toContain('Go back and try again.');
});
