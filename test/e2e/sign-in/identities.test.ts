import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { openRelay, type RelayWithProviders } from './open-relay.ts';
import { createVisitor, type Visitor } from './visitor.ts';

let setup: RelayWithProviders;
let visitor: Visitor;
let name: string;
let count = 0;

beforeAll(async () => {
  setup = await openRelay();
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
const userIdOf = async (who: Visitor) => (await who.call('GET', '/api/me')).json.userId;
const identities = async (who = visitor) => (await who.call('GET', '/api/identities')).json;
const locationOf = async (provider: string, who = visitor) =>
  (await who.call('POST', `/api/identities/${provider}`)).json.location;
const join = async (provider: string, account: string, who = visitor) =>
  who.follow(await locationOf(provider, who), account);

describe('an account that is added', () => {
  test('signs the same user in', async () => {
    const page = await join('google', name);
    expect(page.url).toBe(`${setup.relay.gatewayUrl}/dashboard/settings`);
    expect(await identities()).toEqual({
      identities: [
        { provider: 'github', label: name, createdAt: expect.any(String) },
        { provider: 'google', label: `${name}@example.com`, createdAt: expect.any(String) },
      ],
      providers: ['github', 'google'],
    });
    const other = createVisitor(setup.relay.gatewayUrl);
    await other.follow('/auth/google', name);
    expect(await userIdOf(other)).toBe(await userIdOf(visitor));
  });

  test('may be added again, and is there once', async () => {
    await join('google', name);
    await join('google', name);
    expect((await identities()).identities).toHaveLength(2);
  });

  test('is refused in words when it belongs to another user, who keeps it', async () => {
    const other = createVisitor(setup.relay.gatewayUrl);
    await other.follow('/auth/google', name);
    const page = await join('google', name);
    expect(page.status).toBe(409);
    expect(page.text).toContain('This account belongs to someone else here');
    expect(page.text).toContain(`<strong>${name}@example.com</strong>`);
    expect((await identities()).identities).toHaveLength(1);
    expect((await identities(other)).identities).toHaveLength(1);
  });

  test('is refused when another one of that provider is there', async () => {
    await join('google', name);
    // The same session, in a browser that the provider does not know.
    const fresh = createVisitor(setup.relay.gatewayUrl);
    fresh.setCookies(visitor.cookies());
    const page = await join('google', `${name}.other`, fresh);
    expect(page.status).toBe(409);
    expect(page.text).toContain('You already have an account of this kind');
  });

  test('is refused when it is not on the list', async () => {
    const page = await join('google', `unverified-${name}`);
    expect(page.status).toBe(403);
    expect((await identities()).identities).toHaveLength(1);
  });

  test('is bound to the session that asked for it', async () => {
    const location = await locationOf('google');
    const asked = visitor.cookies();
    // In the same browser another user signs in, while the first is at the provider.
    const other = createVisitor(setup.relay.gatewayUrl);
    setup.github.user = githubUser(++count + 10_000, `${name}-other`);
    await other.follow('/auth/github');
    const [visit = ''] = asked.split('; ').filter((pair) => pair.startsWith('relay_sign_in='));
    other.setCookies(`${other.cookies()}; ${visit}`);
    const page = await other.follow(location, name);
    expect(page.status).toBe(400);
    expect((await identities(other)).identities).toHaveLength(1);
    // Nor does it sign in a browser without a session.
    const stranger = createVisitor(setup.relay.gatewayUrl);
    stranger.setCookies(visit);
    expect((await stranger.follow(await locationOf('google'), name)).url).toContain(
      '/auth/error?reason=expired',
    );
  });

  test('is not added when that session ends while the provider is asked', async () => {
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

  test('needs a session and a provider that is configured', async () => {
    expect((await createVisitor(setup.relay.gatewayUrl).call('POST', '/api/identities/google')).status).toBe(
      401,
    );
    expect((await visitor.call('POST', '/api/identities/gitlab')).status).toBe(404);
  });
});

describe('an account that is removed', () => {
  test('signs another user in from then on, and its other sessions have ended', async () => {
    await join('google', name);
    const other = createVisitor(setup.relay.gatewayUrl);
    await other.follow('/auth/google', name);
    const userId = await userIdOf(visitor);
    expect((await visitor.call('DELETE', '/api/identities/google')).status).toBe(204);
    expect((await other.call('GET', '/api/me')).status).toBe(401);
    await other.follow('/auth/google', name);
    expect(await userIdOf(other)).not.toBe(userId);
    expect(await userIdOf(visitor)).toBe(userId);
  });

  test('ends the session that removes it, if that was begun with it', async () => {
    await join('google', name);
    expect((await visitor.call('DELETE', '/api/identities/github')).status).toBe(204);
    expect((await visitor.call('GET', '/api/me')).status).toBe(401);
    await visitor.follow('/auth/google', name);
    expect((await identities()).identities).toHaveLength(1);
  });

  test('is never the last one, also when both are removed at once', async () => {
    const last = await visitor.call('DELETE', '/api/identities/github');
    expect(last.status).toBe(409);
    expect(last.json.error).toBe('last_identity');
    await join('google', name);
    // A session that neither removal ends.
    const { url } = await setup.relay.makeSignInLink(await userIdOf(visitor));
    const other = createVisitor(setup.relay.gatewayUrl);
    await other.post('/auth/link', { token: new URL(url).searchParams.get('token') ?? '' });
    const answers = await Promise.all(
      ['github', 'google'].map((provider) => other.call('DELETE', `/api/identities/${provider}`)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 409]);
    expect((await identities(other)).identities).toHaveLength(1);
  });

  test('is 404 when there is none', async () => {
    expect((await visitor.call('DELETE', '/api/identities/google')).status).toBe(404);
  });
});

test('two users who add the same account at once: one has it', async () => {
  const other = createVisitor(setup.relay.gatewayUrl);
  setup.github.user = githubUser(count + 20_000, `${name}-two`);
  await other.follow('/auth/github');
  const pages = await Promise.all([join('google', name), join('google', name, other)]);
  expect(pages.map(({ status }) => status).sort()).toEqual([200, 409]);
});
