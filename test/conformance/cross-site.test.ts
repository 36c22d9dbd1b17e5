import { describe, expect, test } from '@jest/globals';
import type { HttpCall } from '../black-box/http-call.ts';
import { useRelay } from '../black-box/use-relay.ts';
import { row } from './contract.ts';
import { createResources, credentialOf, endpointCall, type ResourceIds } from './endpoint-call.ts';
import { type Endpoint, endpoints } from './endpoints.ts';

const setup = useRelay();
const withSession = endpoints.filter(({ auth }) => auth === 'session');
const changing = withSession.filter(({ method }) => method !== 'GET');

describe(row('decisions', 'cross-site'), () => {
  test('from a foreign page, no endpoint changes anything: 403', async () => {
    const { session } = setup.alice;
    const ids = await createResources(setup.alice);
    const state = async () => {
      const request = (await session.get(`/api/requests/${ids.requestId}`)).text;
      const keys = (await session.get('/api/keys')).text;
      // The relay updates `lastUsedAt` some time after a call.
      return [request, keys.replaceAll(/"lastUsedAt":(null|"[^"]+")/g, '')];
    };
    const before = await state();
    for (const { call, headers } of callsOf(changing, ids, foreignPageHeaders())) {
      const response = await setup.relay.call({ ...call, headers: { ...call.headers, ...headers } });
      expect([call.path, response.status, response.json.error]).toEqual([call.path, 403, 'foreign_origin']);
    }
    expect(await state()).toEqual(before);
  });

  test('sign-in and sign-out from a foreign page: 403', async () => {
    for (const headers of foreignPageHeaders()) {
      expect((await setup.relay.anonymous.post('/auth/dev', { user: 'eve' }, headers)).status).toBe(403);
      expect((await setup.relay.anonymous.post('/auth/link', undefined, headers)).status).toBe(403);
      expect((await setup.alice.session.post('/logout', undefined, headers)).status).toBe(403);
    }
    expect((await setup.alice.session.get('/api/me')).status).toBe(200);
  });

  test('pages of this site and programs may change the state', async () => {
    const rename = (headers: Record<string, string>) =>
      setup.alice.session.put(`/api/keys/${setup.alice.consumer.keyId}`, { name: 'mine' }, headers);
    const { origin } = new URL(setup.relay.url);
    for (const headers of [
      {},
      { origin },
      { origin, 'sec-fetch-site': 'same-origin' },
      { 'sec-fetch-site': 'none' },
    ]) {
      expect((await rename(headers)).status).toBe(200);
    }
  });

  test.each(['localhost', '127.0.0.1', '[::1]', 'LOCALHOST'])(
    'a page that was opened at %s may sign in and change the state',
    async (name) => {
      const host = `${name}:${new URL(setup.relay.url).port}`;
      const origin = `http://${host.toLowerCase()}`;
      const own = { host, origin, 'sec-fetch-site': 'same-origin' };
      expect((await setup.relay.anonymous.get('/auth/login', { host })).status).toBe(200);
      const signedIn = await setup.relay.anonymous.post('/auth/dev', { user: setup.alice.name }, own);
      expect(signedIn.status).toBe(303);
      const [cookie = ''] = signedIn.headers['set-cookie'] ?? [];
      const key = `/api/keys/${setup.alice.consumer.keyId}`;
      const session = { cookie: cookie.split(';')[0] ?? '', ...own };
      expect((await setup.relay.anonymous.put(key, { name: 'mine' }, session)).status).toBe(200);
    },
  );

  // DNS rebinding: attacker.example now resolves to 127.0.0.1, so its page and the relay have the same origin.
  describe('a page whose name was rebound to this machine: 403 and no session', () => {
    test('every endpoint', async () => {
      const ids = await createResources(setup.alice);
      for (const { call, headers } of callsOf(withSession, ids, reboundPageHeaders()))
        await expectForeignHost({ ...call, headers: { ...call.headers, ...headers } });
    });

    test.each([
      ['GET', '/'],
      ['HEAD', '/dashboard'],
      ['GET', '/dashboard'],
      ['GET', '/dashboard/requests'],
      ['GET', '/auth'],
      ['GET', '/auth/login'],
      ['GET', '/auth/error'],
      ['GET', '/auth/github'],
      ['GET', '/auth/github/callback'],
      ['GET', '/auth/link'],
      ['POST', '/auth/link'],
      ['GET', '/auth/nothing'],
      ['POST', '/auth/dev'],
      ['POST', '/logout'],
    ])('%s %s', async (method, path) => {
      const type = { 'content-type': 'application/x-www-form-urlencoded' };
      const body = path === '/auth/dev' && { headers: type, body: `user=${setup.alice.name}` };
      for (const caller of [{}, setup.alice.session.headers]) {
        for (const headers of reboundPageHeaders())
          await expectForeignHost({
            method,
            path,
            ...body,
            headers: { ...caller, ...(body && type), ...headers },
          });
      }
      expect((await setup.alice.session.get('/api/me')).status).toBe(200);
    });

    async function expectForeignHost(call: HttpCall): Promise<void> {
      const response = await setup.relay.call(call);
      expect(response.status).toBe(403);
      expect(response.headers).not.toHaveProperty('set-cookie');
      if (call.method === 'HEAD') return;
      expect(response.json.error).toBe('foreign_host');
      expect(response.json.detail).toContain(`http://localhost:${new URL(setup.relay.url).port}`);
    }
  });

  test('a form of any page cannot make a call: content types other than JSON are 415', async () => {
    for (const type of [
      'application/x-www-form-urlencoded',
      'text/plain',
      'multipart/form-data; boundary=x',
    ]) {
      const response = await setup.relay.call({
        method: 'POST',
        path: '/api/keys',
        headers: { ...setup.alice.session.headers, 'content-type': type },
        body: '{"name":"x","kind":"consumer"}',
      });
      expect(response.status).toBe(415);
    }
  });

  test('scripts cannot read the session cookie, and forms of foreign pages do not send it', async () => {
    const response = await setup.relay.anonymous.post('/auth/dev', { user: setup.alice.name });
    const [cookie = ''] = response.headers['set-cookie'] ?? [];
    expect(cookie).toMatch(/; Path=\/(;|$)/);
    expect(cookie).toMatch(/; HttpOnly(;|$)/);
    expect(cookie).toMatch(/; SameSite=Lax(;|$)/);
    expect(cookie).not.toMatch(/Domain=/i);
  });
});

/** Calls with what foreign pages send: the first endpoint of each method with each of these, all others with one of them. */
function callsOf(all: readonly Endpoint[], ids: ResourceIds, pages: readonly Record<string, string>[]) {
  const methods = new Set<string>();
  return all.flatMap((endpoint) => {
    const isFirst = !methods.has(endpoint.method);
    methods.add(endpoint.method);
    const call = endpointCall(endpoint, ids, credentialOf(setup.alice, 'session'));
    return (isFirst ? pages : pages.slice(0, 1)).map((headers) => ({ call, headers }));
  });
}

/** What browsers send for a rebound page, and what an attacker may add. */
function reboundPageHeaders(): Record<string, string>[] {
  const { host, port, origin } = new URL(setup.relay.url);
  const attacker = `attacker.example:${port}`;
  return [
    { host: attacker },
    { host: attacker, origin: `http://${attacker}` },
    { host: attacker, origin: `http://${attacker}`, 'sec-fetch-site': 'same-origin' },
    { host: attacker, origin: 'null', 'sec-fetch-site': 'none' },
    { host: attacker, origin, 'sec-fetch-site': 'same-origin' },
    { host: attacker, origin, 'x-forwarded-host': host },
    { host: attacker, origin, forwarded: `host=${host}`, connection: 'x-forwarded-host' },
    { host: `localhost.attacker.example:${port}`, origin },
    { host: `${host}.attacker.example`, origin },
    { host: `attacker.example@${host}`, origin },
    { host: 'localhost:1', origin },
  ];
}

const foreignPageHeaders = (): Record<string, string>[] => [
  { origin: 'https://evil.example' },
  { origin: 'null' },
  { origin: `${new URL(setup.relay.url).origin}.evil.example` },
  { origin: 'http://localhost:1' },
  // The same host without TLS: an attacker in the network may have written that page.
  { origin: otherScheme(new URL(setup.relay.url).origin) },
  { 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'same-site' },
  { origin: new URL(setup.relay.url).origin, 'sec-fetch-site': 'cross-site' },
  { origin: 'https://evil.example', 'x-forwarded-host': 'evil.example' },
  // A rebound page behind a proxy that has replaced the Host header.
  { origin: `http://attacker.example:${new URL(setup.relay.url).port}`, 'sec-fetch-site': 'same-origin' },
];

const otherScheme = (origin: string): string =>
  origin.startsWith('https:') ? origin.replace('https:', 'http:') : origin.replace('http:', 'https:');
