import { randomBytes } from 'node:crypto';
import { ConfigError } from '@expert-relay/kit/config';
import { describe, expect, test } from '@jest/globals';
import { readConfig } from './config.ts';

const key = `k1:${randomBytes(32).toString('base64url')}`;
const local = {
  REDIS_URL: 'redis://127.0.0.1',
  RELAY_REQUESTS_URL: 'http://127.0.0.1:8081',
  RELAY_MESSAGES_URL: 'http://127.0.0.1:8082',
  RELAY_NOTIFIER_URL: 'http://127.0.0.1:8085',
  RELAY_PRINCIPAL_KEY_GATEWAY_DASHBOARD: key,
  RELAY_PRINCIPAL_KEY_DASHBOARD_REQUESTS: key,
  RELAY_PRINCIPAL_KEY_DASHBOARD_MESSAGES: key,
  RELAY_PRINCIPAL_KEY_DASHBOARD_NOTIFIER: key,
  RELAY_SESSION_SECRET: 'x'.repeat(32),
  RELAY_PUBLIC_URL: 'http://127.0.0.1:8080',
  RELAY_HOST: '127.0.0.1',
};
const withDevLogin = { ...local, RELAY_DEV_LOGIN: 'true' };
const deployed = {
  NODE_ENV: 'production',
  RELAY_PUBLIC_URL: 'https://relay.example',
  RELAY_HOST: '0.0.0.0',
};

describe('RELAY_DEV_LOGIN', () => {
  test.each([
    {},
    { NODE_ENV: 'development' },
    { RELAY_PUBLIC_URL: 'http://localhost:9000', RELAY_HOST: 'localhost' },
    { RELAY_PUBLIC_URL: 'http://[::1]:9000', RELAY_HOST: '::1' },
  ])('is accepted on one machine: %p', (env) => {
    expect(readConfig({ ...withDevLogin, ...env }).devLogin).toBe(true);
  });

  test.each([
    ['NODE_ENV', 'NODE_ENV is production', 'production'],
    ['RELAY_PUBLIC_URL', 'RELAY_PUBLIC_URL is not a loopback address', 'https://relay.example'],
    ['RELAY_PUBLIC_URL', 'RELAY_PUBLIC_URL is not a loopback address', 'http://192.168.0.7:8080'],
    ['RELAY_PUBLIC_URL', 'RELAY_PUBLIC_URL is not a loopback address', 'http://localhost.relay.example'],
    ['RELAY_HOST', 'RELAY_HOST is 0.0.0.0', '0.0.0.0'],
    ['RELAY_HOST', 'RELAY_HOST is ::', '::'],
    // The default listens on every address.
    ['RELAY_HOST', 'RELAY_HOST is 0.0.0.0', undefined],
  ])('stops the start because of only %s, and says what to do: %s', (variable, reason, value) => {
    const start = () => readConfig({ ...withDevLogin, [variable]: value });
    expect(start).toThrow(ConfigError);
    expect(start).toThrow(`RELAY_DEV_LOGIN is true although ${reason}. It lets anybody`);
    expect(start).toThrow(/set it to false, or run only on this machine/);
  });

  test('names every reason in one sentence', () => {
    expect(() => readConfig({ ...withDevLogin, ...deployed })).toThrow(
      'NODE_ENV is production and RELAY_PUBLIC_URL is not a loopback address and RELAY_HOST is 0.0.0.0.',
    );
  });

  test('when it is off, the other settings may have any value', () => {
    expect(readConfig({ ...local, ...deployed, RELAY_DEV_LOGIN: 'false' }).devLogin).toBe(false);
  });
});

describe('sign-in', () => {
  test.each([
    [{ RELAY_GITHUB_CLIENT_ID: 'x' }, 'RELAY_GITHUB_CLIENT_ID and RELAY_GITHUB_CLIENT_SECRET go together'],
    [
      { RELAY_GOOGLE_CLIENT_SECRET: 'x' },
      'RELAY_GOOGLE_CLIENT_ID and RELAY_GOOGLE_CLIENT_SECRET go together',
    ],
    [{ RELAY_GITHUB_URL: 'http://github.example' }, 'http://github.example must begin with https'],
    [{ RELAY_GITHUB_API_URL: 'http://10.0.0.1/api' }, 'http://10.0.0.1/api must begin with https'],
    [{ RELAY_GOOGLE_ISSUER: 'http://localhost.example' }, 'http://localhost.example must begin with https'],
    [
      { RELAY_OIDC_CLIENT_ID: 'x', RELAY_OIDC_ISSUER: 'https://login.example' },
      'RELAY_OIDC_CLIENT_ID and RELAY_OIDC_CLIENT_SECRET go together',
    ],
    [{ RELAY_OIDC_CLIENT_ID: 'x', RELAY_OIDC_CLIENT_SECRET: 'y' }, 'RELAY_OIDC_ISSUER is not set'],
    [{ RELAY_OIDC_ISSUER: 'http://login.example' }, 'http://login.example must begin with https'],
    [{ RELAY_OIDC_SCOPES: 'email' }, 'RELAY_OIDC_SCOPES is "email"'],
    [{ RELAY_OIDC_NAME: 'x'.repeat(41) }, 'RELAY_OIDC_NAME is'],
    [{ RELAY_ALLOWED_USERS: 'oidc:group/' }, 'RELAY_ALLOWED_USERS is'],
    [{ RELAY_ALLOWED_USERS: 'oidc:group/ experts' }, 'RELAY_ALLOWED_USERS is'],
    [{ RELAY_ALLOWED_USERS: 'ada' }, 'RELAY_ALLOWED_USERS is "ada"'],
    [{ RELAY_ALLOWED_USERS: '@example.com,github:' }, 'RELAY_ALLOWED_USERS is'],
    [{ RELAY_SESSION_SECRET: `${'x'.repeat(32)},short` }, 'RELAY_SESSION_SECRET is not valid'],
    [{ RELAY_SESSION_SECRET: Array(3).fill('x'.repeat(32)).join() }, 'RELAY_SESSION_SECRET is not valid'],
  ])('%j stops the start: %s', (env, complaint) => {
    expect(() => readConfig({ ...local, ...env })).toThrow(complaint);
  });

  test('reads its variables', () => {
    const { github, google, oidc, allowedUsers, allowedUsersFile, session } = readConfig({
      ...local,
      RELAY_GITHUB_CLIENT_ID: 'github id',
      RELAY_GITHUB_CLIENT_SECRET: 'github secret',
      RELAY_GITHUB_URL: 'https://github.example',
      RELAY_GITHUB_API_URL: 'https://github.example/api',
      RELAY_GOOGLE_CLIENT_ID: 'google id',
      RELAY_GOOGLE_CLIENT_SECRET: 'google secret',
      RELAY_GOOGLE_ISSUER: 'http://127.0.0.1:9000',
      RELAY_OIDC_CLIENT_ID: 'oidc id',
      RELAY_OIDC_CLIENT_SECRET: 'oidc secret',
      RELAY_OIDC_ISSUER: 'https://login.example',
      RELAY_OIDC_NAME: 'Okta',
      RELAY_OIDC_SCOPES: 'openid email',
      RELAY_OIDC_GROUPS_CLAIM: 'teams',
      RELAY_ALLOWED_USERS: 'Ada@example.com, @example.org, github:mona_corp, oidc:group/Domain Users , *',
      RELAY_ALLOWED_USERS_FILE: '/etc/users',
      RELAY_SESSION_SECRET: `${'a'.repeat(32)}, ${'b'.repeat(32)}`,
      RELAY_SESSION_IDLE: '2h',
      RELAY_SESSION_LIFETIME: '3h',
    });
    expect({ github, google, oidc, allowedUsers, allowedUsersFile, session }).toEqual({
      github: {
        clientId: 'github id',
        clientSecret: 'github secret',
        url: 'https://github.example',
        apiUrl: 'https://github.example/api',
      },
      google: { clientId: 'google id', clientSecret: 'google secret', issuer: 'http://127.0.0.1:9000' },
      oidc: {
        clientId: 'oidc id',
        clientSecret: 'oidc secret',
        issuer: 'https://login.example',
        title: 'Okta',
        scope: 'openid email',
        groupsClaim: 'teams',
      },
      allowedUsers: ['Ada@example.com', '@example.org', 'github:mona_corp', 'oidc:group/Domain Users', '*'],
      allowedUsersFile: '/etc/users',
      session: {
        secrets: ['a'.repeat(32), 'b'.repeat(32)],
        idleTimeout: 2 * 3_600_000,
        lifetime: 3 * 3_600_000,
      },
    });
  });

  test('without them, GitHub and Google are those of everybody, and no provider is offered', () => {
    const { github, google, oidc } = readConfig(local);
    expect([github.url, github.apiUrl]).toEqual(['https://github.com', undefined]);
    expect(google.issuer).toBe('https://accounts.google.com');
    expect([github, google, oidc].map(({ clientId }) => clientId)).toEqual([undefined, undefined, undefined]);
  });
});
