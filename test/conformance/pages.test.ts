import { describe, expect, test } from '@jest/globals';
import { useRelay } from '../black-box/use-relay.ts';
import { row } from './contract.ts';

const setup = useRelay();

describe(row('authentication', 'pages'), () => {
  test.each(['/dashboard', '/dashboard/requests', '/dashboard/requests/x/y', '/dashboard?x=1'])(
    'GET %s without a session: redirects to /auth/login',
    async (path) => {
      const response = await setup.relay.anonymous.get(path);
      expect(response.status).toBe(302);
      expect(response.headers.location).toBe('/auth/login');
    },
  );

  test.each([
    '/auth/login',
    '/auth/login?next=/x',
    '/auth/error?reason=denied',
    '/auth/github',
    '/auth/link?token=x',
  ])('GET %s with a session: redirects to /dashboard', async (path) => {
    const response = await setup.alice.session.get(path);
    expect(response.status).toBe(302);
    expect(response.headers.location).toBe('/dashboard');
  });

  test('GET /auth/login without a session, and /dashboard with one: pages', async () => {
    for (const response of [
      await setup.relay.anonymous.get('/auth/login'),
      await setup.alice.session.get('/dashboard/requests'),
    ]) {
      expect(response.status).toBe(200);
      expect(response.headers['content-type']).toMatch(/^text\/html; ?charset=utf-8$/i);
      expect(response.text).toMatch(/^<!doctype html>/i);
    }
  });

  test('GET /auth/github/callback: not redirected to /dashboard', async () => {
    for (const caller of [setup.alice.session, setup.relay.anonymous]) {
      // There may be no such provider here.
      for (const provider of ['github', 'google', 'oidc']) {
        const response = await caller.get(`/auth/${provider}/callback?code=x&state=y`);
        expect(response.headers.location).not.toBe('/dashboard');
      }
    }
    expect((await setup.alice.session.get('/api/me')).status).toBe(200);
  });

  test('GET /: redirects to /dashboard', async () => {
    const response = await setup.relay.anonymous.get('/');
    expect(response.status).toBe(302);
    expect(response.headers.location).toBe('/dashboard');
  });

  test('the policy of the sign-in page allows the icon of the site', async () => {
    const { headers } = await setup.relay.anonymous.get('/auth/login');
    expect(headers['content-security-policy']).toContain("img-src 'self'");
  });

  test('the policies of pages forbid inline scripts and eval', async () => {
    const { headers } = await setup.relay.anonymous.get('/auth/login');
    expect(headers['content-security-policy']).not.toMatch(/unsafe-inline|unsafe-eval/);
  });
});

describe('a browser that opens an address gets errors as pages', () => {
  test.each([
    ['GET', '/nothing', 404],
    ['GET', '/dashboard-x', 404],
    ['GET', '/auth/nothing', 404],
    ['POST', '/auth/login', 405],
    ['PUT', '/auth/link', 405],
    ['GET', '/logout', 405],
    ['POST', '/dashboard', 405],
  ])('%s %s: %d', async (method, path, status) => {
    const headers = { accept: 'text/html,application/xhtml+xml', 'sec-fetch-mode': 'navigate' };
    const response = await setup.relay.call({ method, path, headers });
    expect(response.status).toBe(status);
    expect(response.headers['content-type']).toBe('text/html; charset=utf-8');
    const asScript = await setup.relay.call({ method, path });
    expect(asScript.status).toBe(status);
    expect(asScript.headers['content-type']).toBe('application/problem+json');
  });
});

describe('the web app', () => {
  /** Without the check against docs/openapi.yaml, which does not describe the files of the web app. */
  const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    fetch(`${setup.relay.url}${path}`, { method, headers, redirect: 'manual' });

  /** The path of a script that the page loads. */
  async function script(): Promise<string> {
    const { text } = await setup.alice.session.get('/dashboard/requests');
    return /src="(\/dashboard\/assets\/[^"]+\.js)"/.exec(text)?.[1] ?? '';
  }

  test('every path of the web app is the same page, with Cache-Control no-store', async () => {
    const paths = ['/dashboard', '/dashboard/', '/dashboard/requests', '/dashboard/requests/x/y'];
    const pages = await Promise.all(paths.map((path) => setup.alice.session.get(path)));
    expect(new Set(pages.map(({ text }) => text)).size).toBe(1);
    const hub = new URL(setup.relay.hubUrl).origin;
    for (const { headers } of pages) {
      expect(headers['cache-control']).toBe('no-store');
      expect(headers['content-security-policy']).toBe(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; font-src 'self'; " +
          `connect-src 'self' ${hub}; manifest-src 'self'; worker-src 'self'; form-action 'self'; ` +
          "base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; " +
          'trusted-types expert-relay',
      );
    }
  });

  test('scripts need no session, are compressed, and are cached for a year', async () => {
    const path = await script();
    for (const [accepted, encoding] of [
      ['br, gzip', 'br'],
      ['gzip', 'gzip'],
      ['identity', null],
    ] as const) {
      const response = await get(path, { 'accept-encoding': accepted });
      expect(response.status).toBe(200);
      expect(response.headers.get('content-encoding')).toBe(encoding);
      expect(response.headers.get('vary')?.toLowerCase()).toMatch(/\baccept-encoding\b/);
      expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(response.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
      expect(response.headers.get('set-cookie')).toBeNull();
      expect((await response.text()).length).toBeGreaterThan(1_000);
    }
    expect((await get(path, {}, 'HEAD')).status).toBe(200);
  });

  test.each([
    '/dashboard/manifest.webmanifest',
    '/dashboard/icons/icon.svg',
    '/dashboard/icons/icon-180.png',
    '/dashboard/icons/icon-192.png',
    '/dashboard/icons/icon-512.png',
    '/dashboard/icons/icon-maskable-512.png',
    '/favicon.ico',
  ])('GET %s needs no session, and is 304 when it has not changed', async (path) => {
    const response = await get(path);
    expect(response.status).toBe(200);
    // Without this header `fetch` would add no-cache. Browsers send max-age=0.
    const again = await get(path, {
      'if-none-match': response.headers.get('etag') ?? '',
      'cache-control': 'max-age=0',
    });
    expect(again.status).toBe(304);
  });

  test('the page and the icons in the manifest exist', async () => {
    const manifest = (await (await get('/dashboard/manifest.webmanifest')).json()) as {
      start_url: string;
      icons: { src: string; type: string }[];
    };
    expect((await setup.alice.session.get(manifest.start_url)).status).toBe(200);
    for (const { src, type } of manifest.icons) {
      expect((await get(src)).headers.get('content-type')).toBe(type);
    }
  });

  test.each([
    '/dashboard/assets/unknown-00.js',
    '/dashboard/assets/',
    '/dashboard/icons/unknown.png',
    '/dashboard/assets/..%2findex.html',
    '/dashboard/assets/a%00.js',
  ])('GET %s: 404, not the page', async (path) => {
    for (const caller of [setup.relay.anonymous, setup.alice.session]) {
      const response = await caller.get(path, { accept: 'text/html' });
      expect(response.status).toBe(404);
      expect(response.json.error).toBe('not_found');
      expect(response.headers['cache-control']).toBe('no-store');
    }
  });
});

test('POST /logout: redirects to /auth/login, with or without a session', async () => {
  const user = await setup.relay.signUp();
  for (const caller of [user.session, setup.relay.anonymous]) {
    const response = await caller.post('/logout');
    expect(response.status).toBe(303);
    expect(response.headers.location).toBe('/auth/login');
  }
});

test.each([
  '/internal/me',
  '/internal/keys',
  '/internal/users/sign-in',
  '/internal/sessions/check',
  '/internal/identities',
  '/internal/sessions/end',
  '/internal/sign-in-links/use',
  '/internal/stream-token',
  '/internal/revocations',
  '/metrics',
  '/livez',
  '/readyz',
  '/.env',
  '/api',
  '/api/v2/help',
  '/api/v1',
  '/API/health',
  '/api/health/',
  '/dashboard/../internal/me',
  '//internal/me',
  '/api/v1/../../internal/me',
  '/api/v1/%2e%2e/internal/me',
  '/internal%2fme',
])('%s: 404', async (path) => {
  for (const method of ['GET', 'POST']) expect((await setup.relay.call({ method, path })).status).toBe(404);
});
