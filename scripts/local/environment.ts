import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Addresses } from './addresses.ts';
import { root } from './home.ts';
import type { Secrets } from './secrets.ts';
import type { ServiceName } from './services.ts';

/** The addresses of all servers, by their variables. */
export type ServerUrls = Record<'DATABASE_URL' | 'REDIS_URL' | 'NATS_URL', string>;

/** Which settings each service reads. `npm run docs` makes it from their `config.ts`. */
const settings: Record<string, object> = JSON.parse(
  readFileSync(join(root, 'charts/expert-relay/settings.json'), 'utf8'),
);

export const settingNames = (service: ServiceName): string[] => Object.keys(settings[service] ?? {});

/** The environment of a service: the values that it reads, the user's settings, and nothing else of ours. */
export function environmentFor(
  service: ServiceName,
  values: ReturnType<typeof localValues>,
  addresses: Addresses,
  env: NodeJS.ProcessEnv = process.env,
): NodeJS.ProcessEnv {
  const { port, opsPort } = addresses[service];
  const names = settingNames(service);
  const own = Object.entries(values).filter(([name]) => names.includes(name));
  return {
    NODE_ENV: 'development',
    RELAY_SHUTDOWN_PAUSE: '0s',
    RELAY_SHUTDOWN_LIMIT: '8s',
    ...Object.fromEntries(own),
    ...userSettings(env),
    RELAY_HOST: '127.0.0.1',
    ...(port === undefined ? {} : { RELAY_PORT: String(port) }),
    RELAY_OPS_PORT: String(opsPort),
  };
}

export function localValues(
  servers: ServerUrls,
  secrets: Secrets,
  addresses: Addresses,
  env: NodeJS.ProcessEnv = process.env,
) {
  const { gateway, requests, messages, dashboard, notifier, hub } = addresses;
  return {
    ...servers,
    DATABASE_DIRECT_URL: env.DATABASE_DIRECT_URL || servers.DATABASE_URL,
    RELAY_PUBLIC_URL: gateway.url,
    RELAY_HUB_PUBLIC_URL: hub.url,
    RELAY_REQUESTS_URL: requests.url,
    RELAY_MESSAGES_URL: messages.url,
    RELAY_DASHBOARD_URL: dashboard.url,
    RELAY_NOTIFIER_URL: notifier.url,
    // Receivers of webhooks run on this machine too.
    RELAY_WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8,::1/128',
    RELAY_DEV_LOGIN: 'true',
    // Everything comes from one address here: no cap (0), and room for more failures. Ctrl-C does not wait for
    // reconnects to be spread.
    RELAY_MAX_CONNECTIONS_PER_ADDRESS: '0',
    RELAY_HUB_MAX_CONNECTIONS_PER_ADDRESS: '0',
    RELAY_HUB_MAX_STREAMS_PER_ADDRESS: '0',
    RELAY_HUB_MAX_STREAMS_ANONYMOUS: '0',
    RELAY_HUB_SCANS_PER_ADDRESS: '0',
    RELAY_HUB_FAILURES_PER_ADDRESS: '300',
    RELAY_HUB_DRAIN_SPREAD: '0s',
    // Agents and experts share one address here, and would share its calls.
    RELAY_RATE_LIMIT_PAGES: '0',
    RELAY_RATE_LIMIT_API: '0',
    RELAY_RATE_LIMIT_POLL: '0',
    // The page of examples/browser.
    RELAY_CORS_ORIGINS: 'http://127.0.0.1:8099,http://localhost:8099',
    ...secrets.settings,
  };
}

/** The user's own settings, and what any program may need. The addresses of the servers are among the values. */
function userSettings(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const ours = /^(RELAY_HOME|RELAY_CACHE|RELAY_PATH_ONLY)$/;
  const wanted = /^(RELAY_|HUB_|OTEL_)|^(PATH|HOME|USER|TZ|LANG|TMPDIR|NODE_OPTIONS|NODE_EXTRA_CA_CERTS)$/;
  return Object.fromEntries(Object.entries(env).filter(([name]) => wanted.test(name) && !ours.test(name)));
}
