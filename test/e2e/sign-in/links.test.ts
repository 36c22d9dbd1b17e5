import { type Constellation, startConstellation } from '@expert-relay/constellation';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createVisitor } from './visitor.ts';

/* Sign-in links, in an installation without a sign-in provider. */

let relay: Constellation;

beforeAll(async () => {
  relay = await startConstellation({
    env: {
      RELAY_DEV_LOGIN: 'false',
      RELAY_GITHUB_CLIENT_ID: '',
      RELAY_GITHUB_CLIENT_SECRET: '',
      RELAY_ALLOWED_USERS: '',
    },
  });
});
afterAll(() => relay.stop());

const tokenOf = (url: string) => new URL(url).searchParams.get('token') ?? '';

test('GET /auth/login without a provider: names the variables to set, and has no button', async () => {
  const { text } = await createVisitor(relay.gatewayUrl).get('/auth/login');
  for (const variable of [
    'RELAY_GITHUB_CLIENT_ID',
    'RELAY_GITHUB_CLIENT_SECRET',
    'RELAY_GOOGLE_CLIENT_ID',
    'RELAY_GOOGLE_CLIENT_SECRET',
    'RELAY_ALLOWED_USERS',
  ]) {
    expect(text).toContain(`<code>${variable}</code>`);
  }
  expect(text).not.toMatch(/<form|class="button/);
  for (const path of ['/auth/github', '/auth/google/callback']) {
    expect((await createVisitor(relay.gatewayUrl).get(path)).status).toBe(404);
  }
});

test('a link signs its user in once, and opening its page does not use it', async () => {
  const { userId } = await relay.makeTenant('grace');
  const { url } = await relay.makeSignInLink(userId);
  const visitor = createVisitor(relay.gatewayUrl);
  for (let time = 0; time < 2; time++) {
    const page = await visitor.get(url);
    expect(page.status).toBe(200);
    expect(page.text).toContain(`value="${tokenOf(url)}"`);
    expect(page.text).toContain('as <strong>grace</strong>');
  }
  const signedIn = await visitor.post('/auth/link', { token: tokenOf(url) });
  expect(signedIn.status).toBe(303);
  expect(signedIn.headers.get('location')).toBe('/dashboard');
  expect((await visitor.call('GET', '/api/me')).json).toMatchObject({ userId, name: 'grace' });
  const [session] = (await visitor.call('GET', '/api/sessions')).json.sessions;
  expect(session.provider).toBe('link');

  const second = createVisitor(relay.gatewayUrl);
  const refused = await second.post('/auth/link', { token: tokenOf(url) });
  expect(refused.headers.get('location')).toBe('/auth/error?reason=link_unusable');
  expect((await second.get('/auth/error?reason=link_unusable')).text).toContain('This link no longer works');
  expect((await second.call('GET', '/api/me')).status).toBe(401);
});

test('of ten uses of a link at once, one signs in', async () => {
  const { userId } = await relay.makeTenant();
  const token = tokenOf((await relay.makeSignInLink(userId)).url);
  const responses = await Promise.all(
    Array.from({ length: 10 }, () => createVisitor(relay.gatewayUrl).post('/auth/link', { token })),
  );
  const signedIn = responses.filter((response) => response.headers.get('location') === '/dashboard');
  expect(signedIn).toHaveLength(1);
});

test('an expired or unknown link is refused', async () => {
  const { userId } = await relay.makeTenant();
  const expired = tokenOf((await relay.makeSignInLink(userId, 0)).url);
  for (const token of [expired, 'x'.repeat(43), '', 'x'.repeat(200), '\0', '\ud800', '\ufffd'.repeat(43)]) {
    const opened = await createVisitor(relay.gatewayUrl).get(
      `/auth/link?token=${encodeURIComponent(token.toWellFormed())}`,
    );
    expect(opened.headers.get('location')).toBe('/auth/error?reason=link_unusable');
    const response = await createVisitor(relay.gatewayUrl).post('/auth/link', { token });
    expect(response.headers.get('location')).toBe('/auth/error?reason=link_unusable');
  }
  const opened = await createVisitor(relay.gatewayUrl).get('/auth/link?token=<script>');
  expect(opened.headers.get('location')).toBe('/auth/error?reason=link_unusable');
});

test('the log contains the use of a link, but not its token', async () => {
  const { userId } = await relay.makeTenant();
  const { url, linkId } = await relay.makeSignInLink(userId);
  const visitor = createVisitor(relay.gatewayUrl);
  await visitor.get(url);
  await visitor.post('/auth/link', { token: tokenOf(url) });
  expect(relay.logs).toContainEqual(
    expect.objectContaining({ service: 'requests', msg: 'a sign-in link was used', userId, linkId }),
  );
  expect(JSON.stringify(relay.logs)).not.toContain(tokenOf(url));
});
