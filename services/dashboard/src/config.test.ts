import { randomBytes } from 'node:crypto';
import { ConfigError } from '@expert-relay/kit/config';
import { describe, expect, test } from '@jest/globals';
import { readConfig } from './config.ts';

const key = `k1:${randomBytes(32).toString('base64url')}`;
const local = {
  REDIS_URL: 'redis://127.0.0.1',
  RELAY_REQUESTS_URL: 'http://127.0.0.1:8081',
  RELAY_MESSAGES_URL: 'http://127.0.0.1:8082',
  RELAY_PRINCIPAL_KEY_GATEWAY_DASHBOARD: key,
  RELAY_PRINCIPAL_KEY_DASHBOARD_REQUESTS: key,
  RELAY_PRINCIPAL_KEY_DASHBOARD_MESSAGES: key,
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
  ])('stops the start for %s alone, and says what to do: %s', (variable, reason, value) => {
    const start = () => readConfig({ ...withDevLogin, [variable]: value });
    expect(start).toThrow(ConfigError);
    expect(start).toThrow(`RELAY_DEV_LOGIN is true although ${reason}. It lets anybody`);
    expect(start).toThrow(/set it to false, or run on this machine alone/);
  });

  test('names every reason in one sentence', () => {
    expect(() => readConfig({ ...withDevLogin, ...deployed })).toThrow(
      'NODE_ENV is production and RELAY_PUBLIC_URL is not a loopback address and RELAY_HOST is 0.0.0.0.',
    );
  });

  test('switched off leaves the other settings free', () => {
    expect(readConfig({ ...local, ...deployed, RELAY_DEV_LOGIN: 'false' }).devLogin).toBe(false);
  });
});
