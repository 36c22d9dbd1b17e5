import { describe, expect, test } from '@jest/globals';
import { createCaller } from '../black-box/caller.ts';
import { signIn } from '../black-box/expert.ts';
import { encryptedContent, keyExchange } from '../black-box/samples.ts';
import { useRelay } from '../black-box/use-relay.ts';
import { row } from './contract.ts';

const setup = useRelay();

describe(row('decisions', 'session API'), () => {
  test('a session can exchange keys, send messages, read and close a request', async () => {
    const { requestId, refCode } = await setup.alice.consumer.newRequest();
    const { session } = setup.alice;
    const path = `/api/requests/${requestId}`;
    expect((await session.post(`${path}/key-exchange`, keyExchange())).json).toEqual({
      requestId,
      refCode,
      status: 'pending',
    });
    const sent = await session.post(`${path}/messages`, encryptedContent());
    expect(sent.status).toBe(201);
    expect(sent.json).toMatchObject({ requestId, refCode, status: 'responded', role: 'provider' });
    expect((await session.post(`${path}/messages`, { role: 'provider', plaintext: 'x' })).status).toBe(201);
    expect((await session.get(path)).json).toMatchObject({ responseCount: 2, status: 'responded' });
    expect((await session.post(`${path}/close`)).json).toMatchObject({ status: 'closed' });
  });

  test('POST /api/requests/:requestId/messages: the role defaults to provider, and consumer is 403', async () => {
    const { requestId } = await setup.alice.consumer.newRequest();
    const send = (members: object) =>
      setup.alice.session.post(`/api/requests/${requestId}/messages`, { plaintext: 'x', ...members });
    expect((await send({ role: null })).json.role).toBe('provider');
    expect((await send({ role: 'consumer' })).status).toBe(403);
  });

  test('GET /api/requests: each request has its responseCount', async () => {
    const user = await setup.relay.signUp();
    const { requestId } = await user.consumer.newRequest({ question: 'Q?' });
    await user.session.post(`/api/requests/${requestId}/messages`, { plaintext: 'x' });
    const { requests } = (await user.session.get('/api/requests')).json;
    expect(requests).toEqual([
      expect.objectContaining({ requestId, status: 'responded', question: 'Q?', responseCount: 1 }),
    ]);
  });
});

test(row('authentication', 'provider, dashboard API'), async () => {
  const { cookie = '' } = setup.alice.session.headers;
  expect((await setup.alice.session.get('/api/me')).json).toEqual({
    userId: setup.alice.userId,
    name: setup.alice.name,
    email: null,
    identities: [{ provider: 'dev', createdAt: expect.stringMatching(/^\d{4}-.*Z$/) }],
    topics: [`/svc/providers/${setup.alice.userId}`, `/svc/providers/${setup.alice.userId}/activity`],
    hubUrl: (await setup.relay.anonymous.get('/.well-known/expert-relay')).json.hubUrl,
  });
  const forged = cookie.slice(0, -3) + (cookie.endsWith('AAA') ? 'BBB' : 'AAA');
  for (const headers of [
    {},
    { cookie: forged },
    { cookie: 'relay_session=' },
    setup.alice.provider.headers,
  ]) {
    const response = await createCaller(setup.relay.call, headers).get('/api/requests');
    expect(response.status).toBe(401);
    expect(response.json.error).toBe('unauthorized');
  }
});

test('POST /logout: the cookie no longer works, and other sessions of the user do', async () => {
  const user = await setup.relay.signUp();
  const second = await signIn(setup.relay.call, user.name);
  expect((await user.session.post('/logout')).status).toBe(303);
  expect((await user.session.get('/api/me')).status).toBe(401);
  expect((await second.get('/api/me')).status).toBe(200);
});

describe(row('decisions', 'who may sign in'), () => {
  test('the same identity signs in as the same user, another name as another user', async () => {
    const again = await signIn(setup.relay.call, setup.alice.name);
    expect((await again.get('/api/me')).json.userId).toBe(setup.alice.userId);
    expect(setup.bob.userId).not.toBe(setup.alice.userId);
  });

  test('ten first sign-ins of one identity at once create one user', async () => {
    const name = `new-${Math.random().toString(36).slice(2)}`;
    const sessions = await Promise.all(Array.from({ length: 10 }, () => signIn(setup.relay.call, name)));
    const ids = await Promise.all(
      sessions.map(async (session) => (await session.get('/api/me')).json.userId),
    );
    expect(new Set(ids).size).toBe(1);
  });

  test('POST /auth/dev: accepts a form, and creates a new session each time', async () => {
    const form = (headers: Record<string, string> = {}) =>
      setup.relay.call({
        method: 'POST',
        path: '/auth/dev',
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
        body: `user=${setup.alice.name}`,
      });
    const first = await form();
    expect(first.status).toBe(303);
    expect(first.headers.location).toBe('/dashboard');
    const [cookie = ''] = first.headers['set-cookie'] ?? [];
    const planted = await form({ cookie: 'relay_session=s%3Aplanted.by-somebody-else' });
    expect(planted.headers['set-cookie']?.[0]).not.toContain('planted');
    expect(planted.headers['set-cookie']?.[0]).not.toBe(cookie);
  });

  describe('POST /auth/dev responds with 303 to /dashboard', () => {
    const post = (
      body: string,
      cookies: Record<string, string> = {},
      type = 'application/x-www-form-urlencoded',
    ) =>
      setup.relay.call({
        method: 'POST',
        path: '/auth/dev',
        body,
        headers: {
          'content-type': type,
          ...(Object.keys(cookies).length > 0 && {
            cookie: Object.entries(cookies)
              .map((pair) => pair.join('='))
              .join('; '),
          }),
        },
      });
    const cookiesOf = (response: Awaited<ReturnType<typeof post>>): Record<string, string> =>
      Object.fromEntries(
        (response.headers['set-cookie'] ?? []).map((line) => {
          const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
          return [name, value];
        }),
      );
    const visit = async () =>
      cookiesOf(
        await setup.relay.call({
          method: 'GET',
          path: '/dashboard/requests?status=pending',
          headers: { accept: 'text/html' },
        }),
      );
    const form = (user = setup.alice.name) => `user=${user}`;
    const json = (user = setup.alice.name) => JSON.stringify({ user });

    test.each([
      ['a form', form, undefined],
      ['JSON', json, 'application/json'],
    ])('to %s, however often, as whom, and after whichever page', async (_, body, type) => {
      const first = await post(body(), {}, type);
      const again = await post(body(), cookiesOf(first), type);
      const other = await post(body(setup.bob.name), cookiesOf(again), type);
      const afterPage = await post(body(), await visit(), type);
      const againAfterPage = await post(body(), { ...cookiesOf(first), ...(await visit()) }, type);
      for (const { status, headers } of [first, again, other, afterPage, againAfterPage])
        expect([status, headers.location]).toEqual([303, '/dashboard']);
    });

    test('to a body that names another page', async () => {
      for (const from of ['https://example.com/', '//example.com', '/dashboard/keys', ['page'], null]) {
        const bodies = [
          [`${form()}&from=${encodeURIComponent(String(from))}x`],
          [JSON.stringify({ user: setup.alice.name, from }), 'application/json'],
        ];
        for (const [body = '', type] of bodies) {
          const response = await post(body, await visit(), type);
          expect([response.status, response.headers.location]).toEqual([303, '/dashboard']);
        }
      }
    });
  });

  test.each(['', ' ', 'a b', '<script>', 'x'.repeat(65), null, 7, ['a']])(
    'POST /auth/dev with the name %p: 400',
    async (user) => {
      const response = await setup.relay.anonymous.post('/auth/dev', { user });
      expect(response.status).toBe(400);
      expect(response.headers).not.toHaveProperty('set-cookie');
    },
  );
});
