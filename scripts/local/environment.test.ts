import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { readConfig } from '../../services/gateway/src/config.ts';
import type { Addresses } from './addresses.ts';
import { environmentFor, localValues } from './environment.ts';
import { openHome, root } from './home.ts';
import { readSecrets } from './secrets.ts';
import { type ServiceName, serviceNames } from './services.ts';

const folder = mkdtempSync(join(tmpdir(), 'environment-'));
const secrets = readSecrets(openHome(folder, {}));
rmSync(folder, { recursive: true });

const addresses = Object.fromEntries(
  serviceNames.map((name, index) => [
    name,
    { port: 8000 + index, opsPort: 9000 + index, url: `http://127.0.0.1:${8000 + index}`, opsUrl: '' },
  ]),
) as Addresses;
const servers = { DATABASE_URL: 'postgres://db', REDIS_URL: 'redis://r', NATS_URL: 'nats://n' };

function environmentOf(name: ServiceName, user: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  return environmentFor(name, localValues(servers, secrets, addresses, user), addresses, user);
}

test('hub and dashboard never learn where the database is', () => {
  for (const name of ['hub', 'dashboard'] as const)
    expect(environmentOf(name)).not.toHaveProperty('DATABASE_URL');
});

test('only the two services that share a principal key know it', () => {
  const holders = serviceNames.filter((name) => 'RELAY_PRINCIPAL_KEY_HUB_REQUESTS' in environmentOf(name));
  expect(holders.toSorted()).toEqual(['hub', 'requests']);
});

test('settings of the user are passed on, except those that would break the run', () => {
  const user = {
    RELAY_CONVERSATION_TTL: '15s',
    RELAY_SHUTDOWN_PAUSE: '1s',
    RELAY_PORT: '1',
    RELAY_HOME: '/x',
  };
  const env = environmentOf('requests', { ...user, AWS_SECRET_ACCESS_KEY: 'not ours to pass on' });
  expect(env).toMatchObject({
    RELAY_CONVERSATION_TTL: '15s',
    RELAY_SHUTDOWN_PAUSE: '1s',
    RELAY_PORT: '8000',
  });
  expect(env).not.toHaveProperty('RELAY_HOME');
  expect(env).not.toHaveProperty('AWS_SECRET_ACCESS_KEY');
});

test('agents and experts of one machine have no rate limits, unless they are set', () => {
  const limitsOf = (user: NodeJS.ProcessEnv) => {
    const { rateLimits } = readConfig(environmentOf('gateway', user));
    return rateLimits;
  };
  expect(limitsOf({})).toEqual({ pages: 0, api: 0, poll: 0, key: 0 });
  expect(limitsOf({ RELAY_RATE_LIMIT_API: '30' })).toEqual({ pages: 0, api: 30, poll: 0, key: 0 });
});

test.each(serviceNames)('%s gets a value for each setting that it requires', (name) => {
  const settings = JSON.parse(readFileSync(join(root, 'charts/expert-relay/settings.json'), 'utf8'));
  const known: Record<string, { required: boolean }> = settings[name];
  const required = Object.keys(known).filter((variable) => known[variable]?.required);
  expect(Object.keys(environmentOf(name))).toEqual(expect.arrayContaining(required));
});
