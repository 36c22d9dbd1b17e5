import { describe, expect, test } from '@jest/globals';
import { useRelay } from '../black-box/use-relay.ts';
import { askEndpoint, credentialOf, newPlace } from './ask-endpoint.ts';
import { row } from './contract.ts';
import { endpoints } from './endpoints.ts';

const here = useRelay();
const changing = endpoints.filter(({ auth, method }) => auth === 'session' && method !== 'GET');

describe(row('silences', 'cross-site'), () => {
  test.each(changing)('$method $path is 403 from a foreign page, and does nothing', async (endpoint) => {
    const user = await here.relay.signUp();
    const place = await newPlace(user);
    const state = async () => {
      const request = (await user.session.get(`/api/requests/${place.requestId}`)).text;
      const keys = (await user.session.get('/api/keys')).text;
      // When a key was last used is written behind the calls.
      return [request, keys.replaceAll(/"lastUsedAt":(null|"[^"]+")/g, '')];
    };
    const before = await state();
    for (const headers of foreign()) {
      const call = askEndpoint(endpoint, place, credentialOf(user, 'session'));
      const answer = await here.relay.ask({ ...call, headers: { ...call.headers, ...headers } });
      expect(answer.status).toBe(403);
      expect(answer.json.error).toBe('foreign_origin');
    }
    expect(await state()).toEqual(before);
  });

  test('sign-in and sign-out too', async () => {
    for (const headers of foreign()) {
      expect((await here.relay.nobody.post('/auth/dev', { user: 'eve' }, headers)).status).toBe(403);
      expect((await here.alice.session.post('/logout', undefined, headers)).status).toBe(403);
    }
    expect((await here.alice.session.get('/api/me')).status).toBe(200);
  });

  test('pages of this site, and callers that are no browser, may', async () => {
    const rename = (headers: Record<string, string>) =>
      here.alice.session.put(`/api/keys/${here.alice.consumer.keyId}`, { name: 'mine' }, headers);
    const { origin } = new URL(here.relay.url);
    for (const headers of [
      {},
      { origin },
      { origin, 'sec-fetch-site': 'same-origin' },
      { 'sec-fetch-site': 'none' },
    ]) {
      expect((await rename(headers)).status).toBe(200);
    }
  });

  test('only JSON is taken: a form of any page cannot make a call', async () => {
    for (const type of [
      'application/x-www-form-urlencoded',
      'text/plain',
      'multipart/form-data; boundary=x',
    ]) {
      const answer = await here.relay.ask({
        method: 'POST',
        path: '/api/keys',
        headers: { ...here.alice.session.headers, 'content-type': type },
        body: '{"name":"x","kind":"consumer"}',
      });
      expect(answer.status).toBe(415);
    }
  });

  test('the cookie is out of reach for scripts and for foreign posts', async () => {
    const answer = await here.relay.nobody.post('/auth/dev', { user: here.alice.name });
    const [cookie = ''] = answer.headers['set-cookie'] ?? [];
    expect(cookie).toMatch(/; Path=\/(;|$)/);
    expect(cookie).toMatch(/; HttpOnly(;|$)/);
    expect(cookie).toMatch(/; SameSite=Lax(;|$)/);
    expect(cookie).not.toMatch(/Domain=/i);
  });
});

const foreign = (): Record<string, string>[] => [
  { origin: 'https://evil.example' },
  { origin: 'null' },
  { origin: `${new URL(here.relay.url).origin}.evil.example` },
  { origin: 'http://localhost:1' },
  // The same host, but whoever is between may have written that page.
  { origin: otherScheme(new URL(here.relay.url).origin) },
  { 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'same-site' },
  { origin: new URL(here.relay.url).origin, 'sec-fetch-site': 'cross-site' },
  { origin: 'https://evil.example', 'x-forwarded-host': 'evil.example' },
];

const otherScheme = (origin: string): string =>
  origin.startsWith('https:') ? origin.replace('https:', 'http:') : origin.replace('http:', 'https:');
