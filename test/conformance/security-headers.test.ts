import { describe, expect, test } from '@jest/globals';
import type { Answer } from '../black-box/ask.ts';
import { openOwnRelay } from '../black-box/open-relay.ts';
import { rawAnswer } from '../black-box/raw-answer.ts';
import { useRelay } from '../black-box/use-relay.ts';
import { row } from './contract.ts';

/** One that is soon exhausted, so that a 429 can be seen. */
const here = useRelay(() => openOwnRelay({ env: { RELAY_RATE_LIMIT_POLL: '1' } }));

const kinds: Record<string, () => Promise<Pick<Answer, 'status' | 'headers'>>> = {
  '200': () => here.relay.nobody.get('/api/health'),
  '201': () => here.alice.consumer.submit(),
  '204, a preflight': () =>
    here.relay.ask({
      method: 'OPTIONS',
      path: '/api/v1/help',
      headers: { origin: here.relay.url, 'access-control-request-method': 'POST' },
    }),
  '204, a key revoked': async () =>
    here.alice.session.delete(`/api/keys/${(await here.alice.newKey('consumer')).keyId}`),
  '200, a page': () => here.relay.nobody.get('/auth/login'),
  '302': () => here.relay.nobody.get('/dashboard'),
  '303': () => here.relay.nobody.post('/logout'),
  '400': () => here.alice.consumer.submit({ messages: 1 }),
  '400, no HTTP at all': () => rawAnswer(here.relay.url, 'nonsense\r\n\r\n'),
  '401': () => here.relay.nobody.get('/api/v1/whoami'),
  '403': () => here.relay.nobody.post('/logout', undefined, { origin: 'https://evil.example' }),
  '404': () => here.relay.nobody.get('/nowhere'),
  '404, from a service': () => here.alice.consumer.get('/api/v1/messages/unknown'),
  '405': () => here.relay.nobody.delete('/api/health'),
  '413': () =>
    here.relay.ask({
      method: 'POST',
      path: '/api/v1/help',
      headers: { 'content-type': 'application/json' },
      body: Buffer.alloc(1_048_577, 32),
    }),
  '415': () =>
    here.relay.ask({
      method: 'POST',
      path: '/api/v1/help',
      headers: { 'content-type': 'text/plain' },
      body: 'x',
    }),
  '429': async () => {
    await here.relay.nobody.get('/api/v1/help/x');
    return here.relay.nobody.get('/api/v1/help/x');
  },
  '431': () =>
    rawAnswer(here.relay.url, `GET /api/health HTTP/1.1\r\nhost: x\r\nx-long: ${'x'.repeat(20_000)}\r\n\r\n`),
  '200, to HEAD': () => here.relay.ask({ method: 'HEAD', path: '/api/health' }),
};

describe(row('authentication', 'security headers'), () => {
  test.each(Object.entries(kinds))('%s', async (name, answered) => {
    const { status, headers } = await answered();
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
