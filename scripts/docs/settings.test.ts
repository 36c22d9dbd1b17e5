import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { readConfig as readMigrate } from '../../packages/db/src/config.ts';
import { readConfig as readDashboard } from '../../services/dashboard/src/config.ts';
import { readConfig as readExpiryWorker } from '../../services/expiry-worker/src/config.ts';
import { readConfig as readGateway } from '../../services/gateway/src/config.ts';
import { readConfig as readHub } from '../../services/hub/src/config.ts';
import { readConfig as readMessages } from '../../services/messages/src/config.ts';
import { readConfig as readNotifier } from '../../services/notifier/src/config.ts';
import { readConfig as readRequests } from '../../services/requests/src/config.ts';
import { root } from '../local/home.ts';
import { renderSettings } from './settings.ts';

type Settings = Record<string, Record<string, { secret: boolean; required: boolean; default?: string }>>;

const text = readFileSync(join(root, 'charts/expert-relay/settings.json'), 'utf8');
const settings: Settings = JSON.parse(text);

const readers: Record<string, (env: NodeJS.ProcessEnv) => unknown> = {
  gateway: readGateway,
  requests: readRequests,
  messages: readMessages,
  hub: readHub,
  'expiry-worker': readExpiryWorker,
  dashboard: readDashboard,
  notifier: readNotifier,
  migrate: readMigrate,
};

/** The variables that a program looks at. It throws when required ones are missing, after it has looked at all. */
function readNames(read: (env: NodeJS.ProcessEnv) => unknown): string[] {
  const names = new Set<string>();
  const env = new Proxy({} as NodeJS.ProcessEnv, { get: (_, name) => void names.add(String(name)) });
  try {
    read(env);
  } catch {}
  // NODE_ENV is Node's own.
  return [...names].filter((name) => name !== 'NODE_ENV').sort();
}

describe('charts/expert-relay/settings.json', () => {
  test('is what npm run docs makes', () => {
    expect(text).toBe(renderSettings());
  });

  test.each(Object.entries(readers))('names everything that %s reads', (program, read) => {
    expect(Object.keys(settings[program] ?? {}).sort()).toEqual(readNames(read));
  });

  const all = Object.values(settings).flatMap((own) => Object.entries(own));
  const secrets = [...new Set(all.filter(([, { secret }]) => secret).map(([name]) => name))];

  test('has no secret whose rotation is not in the table of docs/rotating-secrets.md', () => {
    const [, table = ''] =
      /\n\| Secret \|(.*?)\n\n/s.exec(readFileSync(join(root, 'docs/rotating-secrets.md'), 'utf8')) ?? [];
    const starts = [...table.matchAll(/`([A-Z_]+)(…?)`/g)].map(
      ([, name, rest]) => `${name}${rest ? '' : '_'}`,
    );
    expect(secrets.filter((name) => !starts.some((start) => `${name}_`.startsWith(start)))).toEqual([]);
  });

  test('says which settings are secret', () => {
    expect([...secrets].sort()).toEqual([
      'DATABASE_DIRECT_URL',
      'DATABASE_URL',
      'NATS_URL',
      'OTEL_EXPORTER_OTLP_HEADERS',
      'REDIS_URL',
      'RELAY_ENDPOINT_KEYS',
      'RELAY_GITHUB_CLIENT_SECRET',
      'RELAY_GOOGLE_CLIENT_SECRET',
      'RELAY_NATS_NKEY_SEED',
      'RELAY_OIDC_CLIENT_SECRET',
      'RELAY_PRINCIPAL_KEY_DASHBOARD_MESSAGES',
      'RELAY_PRINCIPAL_KEY_DASHBOARD_NOTIFIER',
      'RELAY_PRINCIPAL_KEY_DASHBOARD_REQUESTS',
      'RELAY_PRINCIPAL_KEY_GATEWAY_DASHBOARD',
      'RELAY_PRINCIPAL_KEY_GATEWAY_MESSAGES',
      'RELAY_PRINCIPAL_KEY_GATEWAY_NOTIFIER',
      'RELAY_PRINCIPAL_KEY_GATEWAY_REQUESTS',
      'RELAY_PRINCIPAL_KEY_HUB_REQUESTS',
      'RELAY_SESSION_SECRET',
      'RELAY_SMTP_URL',
      'RELAY_STREAM_TOKEN_PRIVATE_KEY',
      'RELAY_STREAM_TOKEN_PUBLIC_KEYS',
      'RELAY_VAPID_KEYS',
    ]);
  });

  test('says what must be set, and what is used otherwise', () => {
    expect(settings.gateway).toMatchObject({
      DATABASE_URL: { secret: true, required: true },
      RELAY_PORT: { secret: false, required: false, default: '8080' },
      RELAY_NATS_CA_FILE: { secret: false, required: false },
    });
    expect(settings.requests?.RELAY_PORT?.default).toBe('8081');
    // The migration is content with DATABASE_DIRECT_URL.
    expect(settings.migrate?.DATABASE_URL).toEqual({ secret: true, required: false });
    expect(readMigrate({ DATABASE_DIRECT_URL: 'postgres://db/relay' }).url).toBe('postgres://db/relay');
    expect(() => readMigrate({})).toThrow('DATABASE_URL is not set.');
  });
});
