import { createHmac } from 'node:crypto';
import type { GithubUser } from '@expert-relay/testkit';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { openRelayWithProviders, type RelayWithProviders } from './open-relay-with-providers.ts';
import { createVisitor, type Visitor } from './visitor.ts';

const secret = 'the-session-secret-of-these-tests-0123';
let setup: RelayWithProviders;
let visitor: Visitor;

beforeAll(async () => {
  setup = await openRelayWithProviders({
    env: {
      RELAY_SESSION_SECRET: secret,
      RELAY_ALLOWED_USERS: '@example.com, github:Guest, boss@partner.example',
    },
  });
});
afterAll(() => setup.stop());
beforeEach(() => {
  visitor = createVisitor(setup.relay.gatewayUrl);
  setup.github.user = githubUser('octocat');
  setup.github.consents = true;
  setup.github.mode = 'fine';
});

let lastId = 1;

function githubUser(
  login: string,
  emails: GithubUser['emails'] = [{ email: `${login}@example.com`, primary: true, verified: true }],
): GithubUser {
  return { id: lastId++, login, name: null, emails };
}

const me = async (browser = visitor) => (await browser.call('GET', '/api/me')).json;
const startSignIn = async (provider: string, browser = visitor) =>
  new URL((await browser.get(`/auth/${provider}`)).headers.get('location') ?? '');
/** The URL of the callback with a valid code, which is not opened yet. */
const githubCallback = async (browser = visitor) =>
  (await browser.get((await startSignIn('github', browser)).href)).headers.get('location') ?? '';

async function expectRefused(
  callback: string,
  reason: string,
  status: number,
  browser = visitor,
): Promise<string> {
  const response = await browser.get(callback);
  expect(response.status).toBe(303);
  expect(response.headers.get('location')).toBe(`/auth/error?reason=${reason}`);
  const page = await browser.get(`/auth/error?reason=${reason}`);
  expect(page.status).toBe(status);
  expect((await browser.call('GET', '/api/me')).status).toBe(401);
  return page.text;
}

describe('sign-in', () => {
  test('the page has links to the configured providers, and no dev sign-in', async () => {
    const { text } = await visitor.get('/auth/login');
    expect(text).toContain('href="/auth/github"');
    expect(text).toContain('href="/auth/google"');
    expect(text).not.toContain('<form');
    expect((await visitor.call('POST', '/auth/dev', { user: 'eve' })).status).toBe(404);
  });

  test('with GitHub: uses a code, state, PKCE and the exact redirect URI', async () => {
    const query = Object.fromEntries((await startSignIn('github')).searchParams);
    expect(query).toEqual({
      client_id: setup.github.clientId,
      redirect_uri: `${setup.relay.gatewayUrl}/auth/github/callback`,
      response_type: 'code',
      scope: 'read:user user:email',
      state: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
      prompt: 'select_account',
    });
    const callback = await githubCallback();
    const signedIn = await visitor.get(callback);
    expect(signedIn.status).toBe(303);
    expect(signedIn.headers.get('location')).toBe('/dashboard');
    expect(await me()).toMatchObject({ name: 'octocat', email: 'octocat@example.com' });
  });

  test('with Google: uses an ID token with a nonce', async () => {
    const { searchParams } = await startSignIn('google');
    expect(searchParams.get('nonce')).toMatch(/^[\w-]{43}$/);
    expect(searchParams.get('scope')).toBe('openid email profile');
    const page = await visitor.follow('/auth/google', 'ada');
    expect(page.status).toBe(200);
    expect(new URL(page.url).pathname).toBe('/dashboard');
    expect(await me()).toMatchObject({ name: 'Ada', email: 'ada@example.com' });
  });

  test('an account is the same user after its login and address have changed', async () => {
    await visitor.follow('/auth/github');
    const { userId } = await me();
    const { id } = setup.github.user;
    setup.github.user = { ...githubUser('renamed'), id };
    const again = createVisitor(setup.relay.gatewayUrl);
    await again.follow('/auth/github');
    expect((await me(again)).userId).toBe(userId);
  });

  test('two accounts with the same address are two users', async () => {
    setup.github.user = githubUser('grace');
    await visitor.follow('/auth/github');
    const other = createVisitor(setup.relay.gatewayUrl);
    await other.follow('/auth/google', 'grace');
    expect((await me(other)).email).toBe((await me()).email);
    expect((await me(other)).userId).not.toBe((await me()).userId);
  });

  test('visitors who begin a sign-in store nothing in Redis', async () => {
    const before = (await setup.sessionKeys()).sort();
    const cookies = [
      ...(await visitor.get('/dashboard/requests/x')).setCookies,
      ...(await visitor.get('/auth/login')).setCookies,
      ...(await visitor.get('/auth/github')).setCookies,
      ...(await visitor.get('/auth/error?reason=denied')).setCookies,
    ].map((line) => line.split('=')[0]);
    expect(new Set(cookies)).toEqual(new Set(['relay_return_to', 'relay_sign_in']));
    expect((await setup.sessionKeys()).sort()).toEqual(before);
    await visitor.follow('/auth/github');
    expect((await setup.sessionKeys()).length).toBeGreaterThan(before.length);
  });
});

describe('a sign-in is refused with a page', () => {
  test('when the state differs from that of the browser', async () => {
    const callback = new URL(await githubCallback());
    callback.searchParams.set('state', 'x'.repeat(43));
    await expectRefused(callback.href, 'expired', 400);
  });

  test('when its cookie was used before: the provider is called once, also for fifty calls at once', async () => {
    const callback = await githubCallback();
    const cookies = visitor.cookies();
    const responses = await Promise.all(
      Array.from({ length: 50 }, async () => {
        const browser = createVisitor(setup.relay.gatewayUrl);
        browser.setCookies(cookies);
        const { headers } = await browser.get(callback);
        return headers.get('location');
      }),
    );
    expect(responses.filter((location) => location === '/dashboard')).toHaveLength(1);
    const later = createVisitor(setup.relay.gatewayUrl);
    later.setCookies(cookies);
    const state = new URL(callback).searchParams.get('state');
    // With a code that GitHub has not seen, so that only the relay can refuse it.
    const tokens = setup.github.tokenCalls;
    await expectRefused(`/auth/github/callback?code=another&state=${state}`, 'expired', 400, later);
    expect(setup.github.tokenCalls).toBe(tokens);
  });

  test('when another user is signed in with this browser, who stays signed in', async () => {
    const callback = await githubCallback();
    const cookies = visitor.cookies();
    const ada = createVisitor(setup.relay.gatewayUrl);
    await ada.follow('/auth/google', 'ada');
    const { userId } = await me(ada);
    ada.setCookies(`${ada.cookies()}; ${cookies}`);
    const page = await ada.get(callback);
    expect(page.status).toBe(409);
    expect(page.text).toContain('You are signed in as another user');
    expect(page.text).toContain('action="/logout"');
    expect((await me(ada)).userId).toBe(userId);
  });

  test('when it was started in another browser', async () => {
    const callback = await githubCallback();
    await expectRefused(callback, 'expired', 400, createVisitor(setup.relay.gatewayUrl));
  });

  test('when it was started with another provider', async () => {
    const { searchParams } = await startSignIn('google');
    const state = searchParams.get('state') ?? '';
    await expectRefused(`/auth/github/callback?${new URLSearchParams({ code: 'x', state })}`, 'expired', 400);
  });

  test('when the code of GitHub was used before', async () => {
    const callback = await githubCallback();
    const cookies = visitor.cookies();
    expect((await visitor.get(callback)).headers.get('location')).toBe('/dashboard');
    visitor.setCookies(cookies);
    await expectRefused(callback, 'expired', 400);
  });

  test('when the code of Google was used before', async () => {
    let callback = (await startSignIn('google')).href;
    for (let visit = await visitor.get(callback); !callback.includes('/callback?'); ) {
      if (visit.url.includes('/interaction/'))
        visit = await visitor.post(visit.url, { decision: 'allow', account: 'ada' });
      callback = new URL(visit.headers.get('location') ?? '', visit.url).href;
      if (!callback.includes('/callback?')) visit = await visitor.get(callback);
    }
    const cookies = visitor.cookies();
    expect((await visitor.get(callback)).headers.get('location')).toBe('/dashboard');
    visitor.setCookies(cookies);
    await expectRefused(callback, 'expired', 400);
  });

  test('when the PKCE verifier is missing or wrong', async () => {
    const callback = await githubCallback();
    const cookies = visitor.cookies();
    for (const verifier of [undefined, 'v'.repeat(43)]) {
      visitor.setCookies(
        cookies.replace(/relay_sign_in=([^.]+)\.[^;]+/, (_all, payload) => {
          const content = JSON.parse(Buffer.from(payload, 'base64url').toString());
          return `relay_sign_in=${signCookie({ ...content, value: { ...content.value, verifier } })}`;
        }),
      );
      await expectRefused(callback, 'expired', 400);
    }
  });

  test('when the signature of the cookie is wrong', async () => {
    const callback = await githubCallback();
    visitor.setCookies(visitor.cookies().replace(/(relay_sign_in=[^.]+)\..{10}/, '$1.AAAAAAAAAA'));
    await expectRefused(callback, 'expired', 400);
  });

  test('when the user does not consent', async () => {
    setup.github.consents = false;
    await expectRefused(await githubCallback(), 'denied', 403);
    const page = await createVisitor(setup.relay.gatewayUrl).follow('/auth/google', '');
    expect(page.url).toContain('/auth/error?reason=denied');
    expect(page.text).toContain('Sign-in was cancelled');
  });

  test('when the provider responds with 503', async () => {
    const callback = await githubCallback();
    setup.github.mode = 'failing';
    const text = await expectRefused(callback, 'provider_failed', 502);
    expect(text).toContain('Please try again');
  });

  test('when the provider does not answer in time', async () => {
    const callback = await githubCallback();
    setup.github.mode = 'silent';
    await expectRefused(callback, 'provider_failed', 502);
  });

  test('when the account has no verified address', async () => {
    setup.github.user = githubUser('mallory', [{ email: 'm@example.com', primary: true, verified: false }]);
    await expectRefused(await githubCallback(), 'unverified', 403);
    const page = await createVisitor(setup.relay.gatewayUrl).follow('/auth/google', 'unverified-eve');
    expect(page.url).toContain('/auth/error?reason=unverified');
    expect(page.text).toContain('<strong>unverified-eve@example.com</strong>');
  });

  test.each([
    ['unverified', { email: 'boss@partner.example', email_verified: false }, { email_verified: true }],
    [
      'not_allowed',
      { email: 'eve@elsewhere.example', email_verified: true },
      { email: 'boss@partner.example' },
    ],
  ])(
    'as %s when only the ID token and userinfo together have a verified address',
    async (reason, id_token, userinfo) => {
      const account = JSON.stringify({ sub: reason, id_token, userinfo });
      const page = await visitor.follow('/auth/google', account);
      expect(page.url).toContain(`/auth/error?reason=${reason}`);
    },
  );

  test.each([
    ['error=access_denied', 'denied', 403],
    ['', 'expired', 400],
    ['code=', 'expired', 400],
    ['code=a&code=b', 'expired', 400],
    ['code=a&id_token=x&response=y&token=z', 'expired', 400],
  ] as const)(
    'when the callback has the parameters "%s", without a warning in the log',
    async (query, reason, status) => {
      const warnings = () => setup.relay.logs.filter(({ msg }) => msg === 'a sign-in provider failed').length;
      const before = warnings();
      for (const provider of ['github', 'google']) {
        const state = (await startSignIn(provider)).searchParams.get('state');
        // Google's stand-in must name itself.
        const issuer = provider === 'google' ? `&iss=${encodeURIComponent(setup.google.issuer)}` : '';
        const callback = `/auth/${provider}/callback?state=${state}&${query}${issuer}`;
        await expectRefused(callback, reason, status);
      }
      expect(warnings()).toBe(before);
    },
  );

  test.each([
    ['error=invalid_scope&error_description=secret', { answer: 'invalid_scope' }],
    ['error=%3Cnot a code%3E', { reason: 'the provider reported an error' }],
    ['code=a&iss=https://evil.example', { reason: 'the callback does not name the issuer' }],
  ])('when the provider reports "%s", with its code in the log', async (query, logged) => {
    for (const provider of ['github', 'google']) {
      const state = (await startSignIn(provider)).searchParams.get('state');
      await expectRefused(`/auth/${provider}/callback?state=${state}&${query}`, 'provider_failed', 502);
      const warning = setup.relay.logs.findLast(({ msg }) => msg === 'a sign-in provider failed');
      expect(warning).toMatchObject({ error: 'CallbackError', ...logged });
      expect(JSON.stringify(warning)).not.toMatch(/secret|not a code|evil/);
    }
  });

  test('when the account of the provider has an empty login', async () => {
    setup.github.user = githubUser('');
    await expectRefused(await githubCallback(), 'provider_failed', 502);
  });

  test('when the account has a very long address; the page has the reason', async () => {
    const email = `${'x'.repeat(30_000)}@elsewhere.example`;
    const account = JSON.stringify({ sub: 'long', id_token: {}, userinfo: { email, email_verified: false } });
    const page = await visitor.follow('/auth/google', account);
    expect(page.status).toBe(403);
    expect(page.text).toContain('it has no verified email address');
  });

  test('when RELAY_ALLOWED_USERS does not contain the user; the page has the support contact', async () => {
    setup.github.user = githubUser('stranger', [
      { email: 'stranger@elsewhere.example', primary: true, verified: true },
      { email: 'stranger@example.com', primary: false, verified: false },
      { email: 'stranger@sub.example.com', primary: false, verified: true },
    ]);
    const text = await expectRefused(await githubCallback(), 'not_allowed', 403);
    expect(text).toContain('<strong>stranger</strong>');
    expect(text).toContain('<a href="mailto:help@example.com">');
    const later = await visitor.get('/auth/error?reason=not_allowed');
    expect(later.text).not.toContain('stranger');
  });

  test.each([
    ['the login', githubUser('guest', [])],
    [
      'an address that is not the primary one',
      githubUser('boss', [
        { email: 'me@home.example', primary: true, verified: true },
        { email: 'Boss@Partner.example', primary: false, verified: true },
      ]),
    ],
  ])('but not when RELAY_ALLOWED_USERS contains %s', async (_what, user) => {
    setup.github.user = user;
    expect((await visitor.get(await githubCallback())).headers.get('location')).toBe('/dashboard');
  });
});

describe('an account of the provider with', () => {
  const validEmail = { email: 'odd@example.com', primary: false, verified: true };

  test.each([
    ['a name with NUL', { name: 'O\0dd' }, 'Odd'],
    ['a lone surrogate in its name', { name: 'Odd\ud83d' }, 'Odd'],
    ['a name that is too long', { name: `${'x'.repeat(319)}😀` }, 'x'.repeat(319)],
    ['a name that is a number', { name: 5 }, 'odd'],
    [
      'an entry without an address',
      { emails: [{ email: null, primary: true, verified: true }, validEmail] },
      'odd',
    ],
  ])('%s: the user is signed in', async (_what, change, name) => {
    setup.github.user = { ...githubUser('odd', [validEmail]), ...change } as GithubUser;
    expect((await visitor.get(await githubCallback())).headers.get('location')).toBe('/dashboard');
    expect((await me()).name).toBe(name);
  });
});

describe('after a sign-in', () => {
  test('the browser opens the page that was requested before, once', async () => {
    const redirected = await visitor.get('/dashboard/requests/abc?tab=1');
    expect(redirected.headers.get('location')).toBe('/auth/login');
    const page = await visitor.follow('/auth/github');
    expect(page.url).toBe(`${setup.relay.gatewayUrl}/dashboard/requests/abc?tab=1`);
    expect(visitor.cookies()).not.toContain('relay_return_to');
  });

  test.each([
    ['/dashboard/requests', {}, true],
    ['/dashboard/requests', { accept: '*/*' }, false],
    ['/dashboard/requests', { accept: '*/*', 'sec-fetch-mode': 'navigate' }, true],
    ['/dashboard/requests', { 'sec-fetch-mode': 'cors' }, false],
    ['/dashboard/assets/x.js', { accept: '*/*', 'sec-fetch-mode': 'no-cors' }, false],
    ['/dashboard/assets/x.js', { 'sec-fetch-mode': 'navigate' }, false],
  ] as const)(
    '%s is opened again if a person had opened it, with the headers %j: %p',
    async (path, headers, isRemembered) => {
      await visitor.get(path, headers);
      const signedIn = await visitor.get(await githubCallback());
      expect(signedIn.headers.get('location')).toBe(isRemembered ? path : '/dashboard');
    },
  );

  test.each([
    'https://evil.example/dashboard',
    '//evil.example/dashboard',
    '/\\evil.example',
    '/dashboardx',
    '/auth/login',
    '/dashboard/../api/keys',
    'javascript:alert(1)',
  ])('%s is not opened', async (target) => {
    visitor.setCookies(
      `relay_return_to=${signCookie({ value: target, until: Date.now() + 60_000 }, 'relay_return_to')}`,
    );
    expect((await visitor.get(await githubCallback())).headers.get('location')).toBe('/dashboard');
  });

  test('a session cookie that an attacker had set is replaced', async () => {
    const attacker = createVisitor(setup.relay.gatewayUrl);
    await attacker.follow('/auth/github');
    const planted = attacker.cookies();
    visitor.setCookies(planted);
    setup.github.user = githubUser('victim');
    expect((await visitor.get('/auth/github')).headers.get('location')).toBe('/dashboard');
    // The attacker signs out, so the cookie is of a session that has ended.
    await attacker.post('/logout', {});
    await visitor.follow('/auth/github');
    expect((await me()).name).toBe('victim');
    expect(visitor.cookies()).not.toContain(planted);
    attacker.setCookies(planted);
    expect((await attacker.call('GET', '/api/me')).status).toBe(401);
  });

  test.each(['google', 'github'])('no spelling of a path of %s starts another sign-in', async (provider) => {
    await visitor.follow('/auth/github');
    const { userId } = await me();
    for (const path of [`/auth/${provider}/callback/`, `/auth/${provider}/`, `/auth/${provider}`]) {
      const response = await visitor.get(path);
      expect(response.status).toBe(302);
      expect(response.headers.get('location')).toBe('/dashboard');
      expect(response.setCookies.join()).not.toContain('relay_sign_in');
    }
    expect((await me()).userId).toBe(userId);
  });

  test('all redirects of a sign-in have Cache-Control no-store', async () => {
    const responses = [
      await visitor.get('/auth/github'),
      await visitor.get('/auth/google'),
      await visitor.get('/auth/github/callback'),
      await visitor.get(await githubCallback()),
      await visitor.get('/auth/login'),
    ];
    expect(responses.map(({ status }) => status)).toEqual([302, 302, 303, 303, 302]);
    for (const { headers } of responses) expect(headers.get('cache-control')).toBe('no-store');
  });

  test('the log contains no code, state or token', async () => {
    const callback = new URL(await githubCallback());
    setup.github.mode = 'failing';
    await visitor.get(callback.href);
    const logs = JSON.stringify(setup.relay.logs);
    expect(logs).toContain('a sign-in provider failed');
    for (const name of ['code', 'state']) expect(logs).not.toContain(callback.searchParams.get(name));
    expect(logs).not.toMatch(/gho_|octocat@example\.com/);
  });
});

test('with http, the cookies are HttpOnly and SameSite=Lax', async () => {
  const started = await visitor.get('/auth/github');
  const signedIn = await visitor.get(await githubCallback());
  for (const line of [...started.setCookies, ...signedIn.setCookies]) {
    expect(line).toMatch(/; Path=\/;/);
    expect(line).toMatch(/; HttpOnly;/);
    expect(line).toMatch(/; SameSite=Lax$/);
    expect(line).not.toMatch(/Domain=|Secure/i);
  }
});

/** A cookie as the dashboard writes it. */
function signCookie(content: unknown, name = 'relay_sign_in'): string {
  const payload = Buffer.from(JSON.stringify(content)).toString('base64url');
  const key = createHmac('sha256', secret).update(`cookie ${name}`).digest();
  return `${payload}.${createHmac('sha256', key).update(payload).digest('base64url')}`;
}
