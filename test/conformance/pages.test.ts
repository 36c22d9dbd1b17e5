import { describe, expect, test } from '@jest/globals';
import { useRelay } from '../black-box/use-relay.ts';
import { row } from './contract.ts';

const here = useRelay();

describe(row('authentication', 'pages'), () => {
  test.each(['/dashboard', '/dashboard/requests', '/dashboard/requests/x/y', '/dashboard?x=1'])(
    '%s without a session leads to /auth/login',
    async (path) => {
      const answer = await here.relay.nobody.get(path);
      expect(answer.status).toBe(302);
      expect(answer.headers.location).toBe('/auth/login');
    },
  );

  test.each([
    '/auth/login',
    '/auth/login?next=/x',
    '/auth/error?reason=denied',
    '/auth/github',
    '/auth/link?token=x',
  ])('%s with a session leads to /dashboard', async (path) => {
    const answer = await here.alice.session.get(path);
    expect(answer.status).toBe(302);
    expect(answer.headers.location).toBe('/dashboard');
  });

  test('the other way round they are pages', async () => {
    for (const answer of [
      await here.relay.nobody.get('/auth/login'),
      await here.alice.session.get('/dashboard/requests'),
    ]) {
      expect(answer.status).toBe(200);
      expect(answer.headers['content-type']).toMatch(/^text\/html; ?charset=utf-8$/i);
      expect(answer.text).toMatch(/^<!doctype html>/i);
    }
  });

  test('the callback of a provider is not redirected', async () => {
    for (const caller of [here.alice.session, here.relay.nobody]) {
      const answer = await caller.get('/auth/github/callback?code=x&state=y');
      expect(answer.headers.location).not.toBe('/dashboard');
    }
    expect((await here.alice.session.get('/api/me')).status).toBe(200);
  });

  test('the bare address leads to the dashboard', async () => {
    const answer = await here.relay.nobody.get('/');
    expect(answer.status).toBe(302);
    expect(answer.headers.location).toBe('/dashboard');
  });

  test('no page runs what stands in it', async () => {
    for (const path of ['/auth/login', '/docs']) {
      const { headers } = await here.relay.nobody.get(path);
      expect(headers['content-security-policy']).not.toMatch(/unsafe-inline|unsafe-eval/);
    }
  });
});

test('whoever signs out is led to the sign-in, with or without a session', async () => {
  const user = await here.relay.signUp();
  for (const caller of [user.session, here.relay.nobody]) {
    const answer = await caller.post('/logout');
    expect(answer.status).toBe(303);
    expect(answer.headers.location).toBe('/auth/login');
  }
});

test.each([
  '/internal/me',
  '/internal/keys',
  '/internal/users/sign-in',
  '/internal/users/missing',
  '/internal/identities',
  '/internal/sessions/end',
  '/internal/sign-in-links/use',
  '/internal/stream-token',
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
])('no way leads to %s', async (path) => {
  for (const method of ['GET', 'POST']) expect((await here.relay.ask({ method, path })).status).toBe(404);
});
