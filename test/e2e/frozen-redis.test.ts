import { type Constellation, startConstellation } from '@expert-relay/constellation';
import { createTcpProxy, eventually, type TcpProxy } from '@expert-relay/testkit';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createVisitor } from './sign-in/visitor.ts';

/*
 * A Redis that no longer answers while its connections stay open, as on a frozen machine or when a network drops all
 * packets. The dashboard cannot read sessions then, and must respond with 503 instead of waiting.
 */

const { REDIS_URL: redisUrl = '' } = process.env;
let proxy: TcpProxy;
let relay: Constellation;
let cookie = '';

beforeAll(async () => {
  proxy = await createTcpProxy(redisUrl);
  relay = await startConstellation({ servers: { redisUrl: proxy.url } });
  const visitor = createVisitor(relay.gatewayUrl);
  await visitor.call('POST', '/auth/dev', { user: 'frieda' });
  cookie = visitor.cookies();
});
afterAll(() => relay.stop());
afterAll(() => proxy.stop());

async function callMe() {
  const response = await fetch(`${relay.gatewayUrl}/api/me`, { headers: { cookie } });
  return { status: response.status, error: ((await response.json()) as { error?: string }).error };
}

const openPage = () =>
  fetch(`${relay.gatewayUrl}/dashboard`, {
    headers: { cookie, accept: 'text/html,*/*;q=0.8' },
    redirect: 'manual',
  });

test('GET /dashboard while Redis is frozen: a 503 page that reloads, without content of an earlier response', async () => {
  expect((await openPage()).status).toBe(200);
  proxy.hold();
  for (let call = 0; call < 2; call++) {
    const page = await openPage();
    expect(page.status).toBe(503);
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(page.headers.get('refresh')).toBe('5');
    expect(page.headers.get('cache-control')).toBe('no-store');
    const text = await page.text();
    expect(text).toContain('This page tries again every 5 seconds.');
    expect(text).not.toContain('Sign out');
  }
  await proxy.restore();
  await eventually('pages are served again', async () => (await openPage()).status === 200);
});

test('GET /api/me while Redis is frozen: 503, and 200 when Redis is back', async () => {
  expect((await callMe()).status).toBe(200);
  proxy.hold();
  // At the first call the connection still looks healthy. At the second one it is known to be broken.
  for (let call = 0; call < 2; call++) expect(await callMe()).toEqual({ status: 503, error: 'unavailable' });
  await proxy.restore();
  await eventually('sessions are read again', async () => (await callMe()).status === 200);
});
