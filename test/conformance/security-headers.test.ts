import { describe, expect, test } from '@jest/globals';
import type { HttpResponse } from '../black-box/http-call.ts';
import { openOwnRelay } from '../black-box/open-relay.ts';
import { rawResponse } from '../black-box/raw-response.ts';
import { useRelay } from '../black-box/use-relay.ts';
import { row } from './contract.ts';

/** With a limit of one poll, so that the second one is 429. */
const setup = useRelay(() => openOwnRelay({ env: { RELAY_RATE_LIMIT_POLL: '1' } }));

const responses: Record<string, () => Promise<Pick<HttpResponse, 'status' | 'headers'>>> = {
  '200': () => setup.relay.anonymous.get('/api/health'),
  '201': () => setup.alice.consumer.submit(),
  '204, a preflight': () =>
    setup.relay.call({
      method: 'OPTIONS',
      path: '/api/v1/help',
      headers: { origin: setup.relay.url, 'access-control-request-method': 'POST' },
    }),
  '204, a revoked key': async () =>
    setup.alice.session.delete(`/api/keys/${(await setup.alice.newKey('consumer')).keyId}`),
  '200, a page': () => setup.relay.anonymous.get('/auth/login'),
  '302': () => setup.relay.anonymous.get('/dashboard'),
  '303': () => setup.relay.anonymous.post('/logout'),
  '400': () => setup.alice.consumer.submit({ messages: 1 }),
  '400, malformed HTTP': () => rawResponse(setup.relay.url, 'nonsense\r\n\r\n'),
  '401': () => setup.relay.anonymous.get('/api/v1/whoami'),
  '403': () => setup.relay.anonymous.post('/logout', undefined, { origin: 'https://evil.example' }),
  '404': () => setup.relay.anonymous.get('/nowhere'),
  '404, from a service': () => setup.alice.consumer.get('/api/v1/messages/unknown'),
  '405': () => setup.relay.anonymous.delete('/api/health'),
  '413': () =>
    setup.relay.call({
      method: 'POST',
      path: '/api/v1/help',
      headers: { 'content-type': 'application/json' },
      body: Buffer.alloc(1_048_577, 32),
    }),
  '415': () =>
    setup.relay.call({
      method: 'POST',
      path: '/api/v1/help',
      headers: { 'content-type': 'text/plain' },
      body: 'x',
    }),
  '429': async () => {
    await setup.relay.anonymous.get('/api/v1/help/x');
    return setup.relay.anonymous.get('/api/v1/help/x');
  },
  '431': () =>
    rawResponse(
      setup.relay.url,
      `GET /api/health HTTP/1.1\r\nhost: x\r\nx-long: ${'x'.repeat(20_000)}\r\n\r\n`,
    ),
  '200, to HEAD': () => setup.relay.call({ method: 'HEAD', path: '/api/health' }),
};

describe(row('authentication', 'security headers'), () => {
  test.each(Object.entries(responses))('%s', async (name, call) => {
    const { status, headers } = await call();
    expect(status).toBe(Number(name.slice(0, 3)));
    expect(headers).toMatchObject({
      'strict-transport-security': expect.stringMatching(/^max-age=\d+/),
      'x-frame-options': 'DENY',
      'content-security-policy': expect.stringMatching(/^default-src '(self|none)'.*frame-ancestors 'none'/),
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'origin-when-cross-origin',
      'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    expect(headers).not.toHaveProperty('x-powered-by');
    expect(headers).not.toHaveProperty('server');
  });
});
