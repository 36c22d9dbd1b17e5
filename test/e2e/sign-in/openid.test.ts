import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Constellation, startConstellation } from '@expert-relay/constellation';
import { eventually, reservePort, startOpenIdProvider } from '@expert-relay/testkit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { whyMissing } from '../../../scripts/servers/find-tool.ts';
import { testUnless } from '../../../scripts/testing/test-unless.ts';
import { python, startPythonProvider } from './start-python-provider.ts';
import { createVisitor, type Visit, type Visitor } from './visitor.ts';

/* Sign-in with an OpenID provider of the operator's own: two that are not ours, and share no code. */

const member = { sub: 'ada', name: 'Ada', email: 'ada@elsewhere.test', groups: ['experts', 'on call'] };
const guest = {
  sub: 'eve',
  name: 'Eve',
  email: 'eve@elsewhere.test',
  email_verified: true,
  groups: ['guests'],
};

interface Setup {
  readonly relay: Constellation;
  readonly issuer: string;
  stop(): Promise<void>;
}

const providers = {
  'oidc-provider (npm)': async (publicUrl: string) => {
    const redirectUri = `${publicUrl}/auth/oidc/callback`;
    return await startOpenIdProvider({
      redirectUri,
      signedOutUri: `${publicUrl}/auth/login`,
      sendsSecretAs: 'client_secret_basic',
    });
  },
  'oidc-provider-mock (PyPI)': async () => ({
    ...(await startPythonProvider([member, guest])),
    clientId: 'relay',
    clientSecret: 'secret',
  }),
};

async function open(
  start: (
    publicUrl: string,
  ) => Promise<{ issuer: string; clientId: string; clientSecret: string; stop(): Promise<void> }>,
  env: Record<string, string>,
): Promise<Setup> {
  const publicUrl = `http://127.0.0.1:${await reservePort()}`;
  const provider = await start(publicUrl);
  const relay = await startConstellation({
    env: {
      RELAY_PUBLIC_URL: publicUrl,
      RELAY_DEV_LOGIN: 'false',
      RELAY_ALLOWED_USERS: '',
      RELAY_OIDC_ISSUER: provider.issuer,
      RELAY_OIDC_CLIENT_ID: provider.clientId,
      RELAY_OIDC_CLIENT_SECRET: provider.clientSecret,
      RELAY_OIDC_NAME: 'Example ID',
      ...env,
    },
  }).catch(async (error) => {
    await provider.stop();
    throw error;
  });
  const stop = async () => {
    await relay.stop();
    await provider.stop();
  };
  return { relay, issuer: provider.issuer, stop };
}

/** Signs a person in at whichever of the two providers, and returns the last response of the relay. */
async function signIn(visitor: Visitor, { issuer }: Setup, person: { sub: string }): Promise<Visit> {
  const { sub, ...claims } = person;
  const account = JSON.stringify({ sub, id_token: claims, userinfo: claims });
  let visit = await visitor.get('/auth/oidc');
  for (let step = 0; step < 12; step++) {
    const location = visit.headers.get('location');
    if (location) visit = await visitor.get(new URL(location, visit.url).href);
    else if (visit.url.includes('/interaction/'))
      visit = await visitor.post(visit.url, { decision: 'allow', account });
    else if (visit.url.startsWith(issuer)) visit = await visitor.post(visit.url, { sub });
    else return visit;
  }
  throw new Error(`More than 12 steps, the last to ${visit.url}.`);
}

const me = async (visitor: Visitor) => await visitor.call('GET', '/api/me');

describe.each(Object.entries(providers))('with %s', (title, start) => {
  const withProvider = testUnless(title.includes('PyPI') ? whyMissing(python) : undefined);
  const folder = mkdtempSync(join(tmpdir(), 'relay-openid-'));
  const file = join(folder, 'allowed-users');
  let setup: Setup;

  beforeAll(async () => {
    if (title.includes('PyPI') && 'missing' in python) return;
    writeFileSync(file, 'oidc:group/experts\n');
    setup = await open(start, { RELAY_ALLOWED_USERS_FILE: file });
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true });
    await setup?.stop();
  });

  withProvider('the button has its name', async () => {
    const { text } = await createVisitor(setup.relay.gatewayUrl).get('/auth/login');
    expect(text).toContain('<a class="button main" href="/auth/oidc">Continue with Example ID</a>');
    expect(text).not.toContain('/auth/google');
  });

  withProvider('a member of an allowed group signs in, without a verified address', async () => {
    const visitor = createVisitor(setup.relay.gatewayUrl);
    expect(new URL((await signIn(visitor, setup, member)).url).pathname).toBe('/dashboard');
    expect((await me(visitor)).json).toMatchObject({ name: 'Ada', email: null });
    const { identities, titles } = (await visitor.call('GET', '/api/identities')).json;
    expect([identities[0].provider, titles.oidc]).toEqual(['oidc', 'Example ID']);
  });

  withProvider('a person of another group does not', async () => {
    const visitor = createVisitor(setup.relay.gatewayUrl);
    const { url, text } = await signIn(visitor, setup, guest);
    expect(url).toContain('/auth/error?reason=not_allowed');
    expect(text).toContain('eve@elsewhere.test');
    expect((await me(visitor)).status).toBe(401);
  });

  withProvider('a refused person can choose another account', async () => {
    const visitor = createVisitor(setup.relay.gatewayUrl);
    const { text } = await signIn(visitor, setup, guest);
    const [, other = ''] = /href="([^"]+)">Use another account</.exec(text) ?? [];
    const { headers } = await visitor.get(other);
    const prompt = new URL(headers.get('location') ?? '').searchParams.get('prompt');
    expect(['login', 'select_account']).toContain(prompt);
  });

  withProvider('a sign-out leads to the sign-out of the provider, once', async () => {
    const visitor = createVisitor(setup.relay.gatewayUrl);
    await signIn(visitor, setup, member);
    const response = await visitor.call('POST', '/logout');
    expect([response.status, response.headers.get('location')]).toEqual([303, '/auth/login']);
    const page = await visitor.get('/auth/login');
    const address = new URL(page.headers.get('refresh')?.replace('0; url=', '') ?? '');
    expect(address.origin).toBe(setup.issuer);
    expect(Object.fromEntries(address.searchParams)).toEqual({
      post_logout_redirect_uri: `${setup.relay.gatewayUrl}/auth/login`,
      id_token_hint: expect.any(String),
      client_id: expect.any(String),
    });
    const atProvider = await visitor.get(address.href);
    expect(atProvider.status).toBeLessThan(400);
    expect((await visitor.get('/auth/login')).headers.get('refresh')).toBeNull();
  });

  withProvider('a person who is removed from the list is signed out without a restart', async () => {
    const visitor = createVisitor(setup.relay.gatewayUrl);
    await signIn(visitor, setup, member);
    expect((await me(visitor)).status).toBe(200);
    writeFileSync(file, '# nobody\n');
    await eventually('the session ends', async () => (await me(visitor)).status === 401);
    writeFileSync(file, 'oidc:group/on call\n');
    await eventually('the list is read', async () => {
      const again = createVisitor(setup.relay.gatewayUrl);
      return new URL((await signIn(again, setup, member)).url).pathname === '/dashboard';
    });
  });
});

test('without a provider that responds, the page says so and a restart is not needed', async () => {
  const dead = `http://127.0.0.1:${await reservePort()}`;
  const start = async () => ({ issuer: dead, clientId: 'x', clientSecret: 'y', stop: async () => {} });
  const setup = await open(start, { RELAY_ALLOWED_USERS: '*' });
  try {
    const visit = await createVisitor(setup.relay.gatewayUrl).get('/auth/oidc');
    expect(visit.headers.get('location')).toBe('/auth/error?reason=provider_failed');
  } finally {
    await setup.stop();
  }
});

test('with a wrong client secret, the page says that it failed, and the log has the status of the response', async () => {
  const setup = await open(providers['oidc-provider (npm)'], {
    RELAY_ALLOWED_USERS: '*',
    RELAY_OIDC_CLIENT_SECRET: 'wrong',
  });
  try {
    const visitor = createVisitor(setup.relay.gatewayUrl);
    expect((await signIn(visitor, setup, member)).url).toContain('/auth/error?reason=provider_failed');
    const failures = setup.relay.logs.filter(({ msg }) => msg === 'a sign-in provider failed');
    expect(failures).toEqual([expect.objectContaining({ status: 401 })]);
  } finally {
    await setup.stop();
  }
});
