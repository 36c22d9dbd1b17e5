import { describe, expect, test } from '@jest/globals';
import { openOwnRelay } from '../black-box/open-relay.ts';
import { useRelay } from '../black-box/use-relay.ts';
import { row } from './contract.ts';

const configured = 'https://site.example';
const setup = useRelay(() => openOwnRelay({ env: { RELAY_CORS_ORIGINS: configured } }));
// The relay can be reached by each name of this machine.
const localOrigins = () =>
  ['localhost', '127.0.0.1', '[::1]'].map((name) => `http://${name}:${new URL(setup.relay.url).port}`);
const allowedOrigins = () => [...localOrigins(), configured];
const foreignOrigins = [
  'http://localhost:1',
  'https://localhost:8080',
  'https://evil.example',
  `${configured}.evil.example`,
  'http://site.example',
  `${configured}:8443`,
  'null',
  '*',
  '',
];

const preflight = (path: string, origin: string) =>
  setup.relay.call({
    method: 'OPTIONS',
    path,
    headers: {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type, x-api-key',
    },
  });

describe(row('authentication', 'CORS'), () => {
  test.each(['/api/v1/help', '/api/v1/message/x', '/api/health', '/nowhere'])(
    'OPTIONS %s: a preflight is allowed only from configured origins',
    async (path) => {
      for (const origin of allowedOrigins()) {
        const response = await preflight(path, origin);
        expect(response.status).toBe(204);
        expect(response.headers).toMatchObject({
          'access-control-allow-origin': origin,
          'access-control-allow-methods': 'GET, POST, PUT, DELETE, OPTIONS',
          'access-control-allow-headers': 'Content-Type, Authorization, x-api-key',
          'access-control-max-age': '86400',
          vary: 'Origin',
        });
      }
      for (const origin of foreignOrigins) {
        const { headers } = await preflight(path, origin);
        expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
      }
    },
  );

  test('responses and errors to an allowed origin can be read, with the headers that a client needs', async () => {
    for (const origin of allowedOrigins()) {
      for (const response of [
        await setup.relay.anonymous.get('/api/health', { origin }),
        await setup.relay.anonymous.get('/api/v1/whoami', { origin }),
        await setup.relay.anonymous.get('/nowhere', { origin }),
        await setup.alice.consumer.submit({}, { origin }),
      ]) {
        expect(response.headers['access-control-allow-origin']).toBe(origin);
        expect(response.headers['access-control-expose-headers']).toMatch(
          /Retry-After.*Relay-Position.*x-request-id/,
        );
        expect(response.headers.vary).toBe('Origin');
      }
    }
  });

  test('responses to other origins cannot be read, and no origin may send cookies', async () => {
    for (const origin of [...foreignOrigins, ...allowedOrigins()]) {
      const { headers } = await setup.alice.consumer.get('/api/v1/whoami', { origin });
      if (!allowedOrigins().includes(origin))
        expect(headers).not.toHaveProperty('access-control-allow-origin');
      expect(headers).not.toHaveProperty('access-control-allow-credentials');
    }
  });

  test('the hub allows the same origins', async () => {
    const allowed = async (origin: string) =>
      (await fetch(setup.relay.hubUrl, { headers: { origin } })).headers.get('access-control-allow-origin');
    for (const origin of allowedOrigins()) expect(await allowed(origin)).toBe(origin);
    for (const origin of foreignOrigins) expect(await allowed(origin)).toBeNull();
  });

  test('OPTIONS without an origin: the Allow header lists the methods', async () => {
    const response = await setup.relay.call({ method: 'OPTIONS', path: '/api/v1/vault' });
    expect(response.status).toBe(204);
    expect(response.headers.allow?.split(', ').sort()).toEqual(['GET', 'HEAD', 'OPTIONS', 'PUT']);
  });
});
