import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { openRelayWithProviders, type RelayWithProviders } from './open-relay-with-providers.ts';
import { createVisitor, type Visitor } from './visitor.ts';

let setup: RelayWithProviders;
let visitor: Visitor;
let name: string;
let count = 0;
/** How far the relay's clock is ahead of the real time. */
let clockOffsetMs = 0;

beforeAll(async () => {
  setup = await openRelayWithProviders({ clock: { now: () => Date.now() + clockOffsetMs } });
});
afterAll(() => setup.stop());
beforeEach(async () => {
  name = `ada${++count}`;
  setup.github.mode = 'fine';
  setup.github.user = githubUser(count, name);
  visitor = createVisitor(setup.relay.gatewayUrl);
  await visitor.follow('/auth/github');
});

const githubUser = (id: number, login: string) => ({
  id,
  login,
  name: null,
  emails: [{ email: `${login}@example.com`, primary: true, verified: true }],
});
const userIdOf = async (visitor: Visitor) => (await visitor.call('GET', '/api/me')).json.userId;
const identities = async (browser = visitor) => (await browser.call('GET', '/api/identities')).json;
const locationOf = async (provider: string, browser = visitor) =>
  (await browser.call('POST', `/api/identities/${provider}`)).json.location;
const addAccount = async (provider: string, account: string, browser = visitor) =>
  browser.follow(await locationOf(provider, browser), account);

describe('an added account', () => {
  test('signs in as the same user', async () => {
    const page = await addAccount('google', name);
    expect(page.url).toBe(`${setup.relay.gatewayUrl}/dashboard/settings`);
    expect(await identities()).toEqual({
      identities: [
        { provider: 'github', label: name, createdAt: expect.any(String) },
        { provider: 'google', label: `${name}@example.com`, createdAt: expect.any(String) },
      ],
      providers: ['github', 'google'],
      titles: { github: 'GitHub', google: 'Google' },
    });
    const other = createVisitor(setup.relay.gatewayUrl);
    await other.follow('/auth/google', name);
    expect(await userIdOf(other)).toBe(await userIdOf(visitor));
  });

  test('can be added again, and is listed once', async () => {
    await addAccount('google', name);
    await addAccount('google', name);
    expect((await identities()).identities).toHaveLength(2);
  });

  test('is refused with 409 and a page when it belongs to another user', async () => {
    const other = createVisitor(setup.relay.gatewayUrl);
    await other.follow('/auth/google', name);
    const page = await addAccount('google', name);
    expect(page.status).toBe(409);
    expect(page.text).toContain('This account belongs to someone else here');
    expect(page.text).toContain(`<strong>${name}@example.com</strong>`);
    expect((await identities()).identities).toHaveLength(1);
    expect((await identities(other)).identities).toHaveLength(1);
  });

  test('is refused with 409 when the user has another account of that provider', async () => {
    await addAccount('google', name);
    // The same session in a browser that is not signed in at the provider.
    const fresh = createVisitor(setup.relay.gatewayUrl);
    fresh.setCookies(visitor.cookies());
    const page = await addAccount('google', `${name}.other`, fresh);
    expect(page.status).toBe(409);
    expect(page.text).toContain('You already have an account of this kind');
  });

  test('is refused with 403 when RELAY_ALLOWED_USERS does not contain it', async () => {
    const page = await addAccount('google', `unverified-${name}`);
    expect(page.status).toBe(403);
    expect((await identities()).identities).toHaveLength(1);
  });

  test('is refused when another session returns from the provider', async () => {
    const location = await locationOf('google');
    const cookies = visitor.cookies();
    // Another user signs in with the same browser, while the first one is at the provider.
    const other = createVisitor(setup.relay.gatewayUrl);
    setup.github.user = githubUser(++count + 10_000, `${name}-other`);
    await other.follow('/auth/github');
    const [signInCookie = ''] = cookies.split('; ').filter((pair) => pair.startsWith('relay_sign_in='));
    other.setCookies(`${other.cookies()}; ${signInCookie}`);
    const page = await other.follow(location, name);
    expect(page.status).toBe(400);
    expect((await identities(other)).identities).toHaveLength(1);
    // It does not sign in a browser without a session either.
    const stranger = createVisitor(setup.relay.gatewayUrl);
    stranger.setCookies(signInCookie);
    expect((await stranger.follow(await locationOf('google'), name)).url).toContain(
      '/auth/error?reason=expired',
    );
  });

  test('is refused when the session ends while the provider is called', async () => {
    const owner = createVisitor(setup.relay.gatewayUrl);
    await owner.follow('/auth/google', name);
    setup.github.user = githubUser(count + 30_000, `${name}-late`);
    const authorize = await owner.get(await locationOf('github', owner));
    const { received, release } = setup.github.hold();
    const late = owner.get(authorize.headers.get('location') ?? '');
    await received;
    const elsewhere = createVisitor(setup.relay.gatewayUrl);
    await elsewhere.follow('/auth/google', name);
    expect((await elsewhere.call('DELETE', '/api/sessions?all=true')).status).toBe(204);
    release();
    expect((await late).headers.get('location')).toBe('/auth/error?reason=expired');
    await elsewhere.follow('/auth/google', name);
    expect((await identities(elsewhere)).identities).toHaveLength(1);
  });

  test('is 401 without a session, and 404 for a provider that is not configured', async () => {
    expect((await createVisitor(setup.relay.gatewayUrl).call('POST', '/api/identities/google')).status).toBe(
      401,
    );
    expect((await visitor.call('POST', '/api/identities/gitlab')).status).toBe(404);
  });
});

describe('ten minutes after the sign-in', () => {
  const minuteMs = 60_000;

  test('accounts are neither added nor removed: 403 sign_in_again, until the user has signed in again', async () => {
    await addAccount('google', name);
    const userId = await userIdOf(visitor);
    clockOffsetMs += 11 * minuteMs;
    const calls = [
      ['POST', '/api/identities/google'],
      ['POST', '/api/identities/google?again=false'],
      ['DELETE', '/api/identities/google'],
    ] as const;
    for (const [method, path] of calls) {
      const refused = await visitor.call(method, path);
      expect([refused.status, refused.json.error]).toEqual([403, 'sign_in_again']);
    }
    expect((await identities()).identities).toHaveLength(2);

    const { json } = await visitor.call('POST', '/api/identities/google?again=true');
    const page = await visitor.follow(json.location, name);
    expect(page.url).toBe(`${setup.relay.gatewayUrl}/dashboard/settings`);
    expect(await userIdOf(visitor)).toBe(userId);
    expect((await visitor.call('DELETE', '/api/identities/github')).status).toBe(204);
  });

  test('signing in again with an account of another user changes nothing: 409', async () => {
    const userId = await userIdOf(visitor);
    clockOffsetMs += 11 * minuteMs;
    const { json } = await visitor.call('POST', '/api/identities/google?again=true');
    const page = await visitor.follow(json.location, `${name}.stranger`);
    expect(page.status).toBe(409);
    expect(await userIdOf(visitor)).toBe(userId);
    expect((await identities()).identities).toHaveLength(1);
    expect((await visitor.call('DELETE', '/api/identities/github')).json.error).toBe('sign_in_again');
  });
});

describe('a removed account', () => {
  test('signs in as a new user afterwards, and its other sessions have ended', async () => {
    await addAccount('google', name);
    const other = createVisitor(setup.relay.gatewayUrl);
    await other.follow('/auth/google', name);
    const userId = await userIdOf(visitor);
    expect((await visitor.call('DELETE', '/api/identities/google')).status).toBe(204);
    expect((await other.call('GET', '/api/me')).status).toBe(401);
    await other.follow('/auth/google', name);
    expect(await userIdOf(other)).not.toBe(userId);
    expect(await userIdOf(visitor)).toBe(userId);
  });

  test('ends the current session, if this session was started with it', async () => {
    await addAccount('google', name);
    expect((await visitor.call('DELETE', '/api/identities/github')).status).toBe(204);
    expect((await visitor.call('GET', '/api/me')).status).toBe(401);
    await visitor.follow('/auth/google', name);
    expect((await identities()).identities).toHaveLength(1);
  });

  test('cannot be the last one, even when two are removed at once', async () => {
    const last = await visitor.call('DELETE', '/api/identities/github');
    expect(last.status).toBe(409);
    expect(last.json.error).toBe('last_identity');
    await addAccount('google', name);
    // This session does not end with either account.
    const { url } = await setup.relay.makeSignInLink(await userIdOf(visitor));
    const other = createVisitor(setup.relay.gatewayUrl);
    await other.post('/auth/link', { token: new URL(url).searchParams.get('token') ?? '' });
    const responses = await Promise.all(
      ['github', 'google'].map((provider) => other.call('DELETE', `/api/identities/${provider}`)),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([204, 409]);
    expect((await identities(other)).identities).toHaveLength(1);
  });

  test('is 404 when the user does not have it', async () => {
    expect((await visitor.call('DELETE', '/api/identities/google')).status).toBe(404);
  });
});

test('when two users add the same account at once, one succeeds', async () => {
  const other = createVisitor(setup.relay.gatewayUrl);
  setup.github.user = githubUser(count + 20_000, `${name}-two`);
  await other.follow('/auth/github');
  const pages = await Promise.all([addAccount('google', name), addAccount('google', name, other)]);
  expect(pages.map(({ status }) => status).sort()).toEqual([200, 409]);
});
