import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openRelayWithProviders, type RelayWithProviders } from './open-relay-with-providers.ts';
import { createVisitor } from './visitor.ts';

/* Behind a proxy that terminates TLS: browsers use https, and the gateway itself speaks http. */

let setup: RelayWithProviders;

beforeAll(async () => {
  setup = await openRelayWithProviders({ publicScheme: 'https' });
});
afterAll(() => setup.stop());

test('with https, every cookie is __Host- and Secure, and the redirect URI is https', async () => {
  const visitor = createVisitor(setup.relay.gatewayUrl);
  const redirected = await visitor.get('/dashboard/requests');
  const started = await visitor.get('/auth/github');
  const authorize = started.headers.get('location') ?? '';
  expect(new URL(authorize).searchParams.get('redirect_uri')).toMatch(/^https:.*\/auth\/github\/callback$/);
  const callback = new URL((await visitor.get(authorize)).headers.get('location') ?? '');
  const signedIn = await visitor.get(callback.pathname + callback.search);
  expect(signedIn.headers.get('location')).toBe('/dashboard/requests');
  const lines = [redirected, started, signedIn].flatMap(({ setCookies }) => setCookies);
  const names = new Set(lines.map((line) => line.split('=')[0]));
  expect(names).toEqual(new Set(['__Host-relay_return_to', '__Host-relay_sign_in', '__Host-relay_session']));
  for (const line of lines) {
    expect(line).toMatch(/; Path=\/;/);
    expect(line).toMatch(/; HttpOnly; Secure; SameSite=Lax$/);
    expect(line).not.toMatch(/Domain=/i);
  }
});
