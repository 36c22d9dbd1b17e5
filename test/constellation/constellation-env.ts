import type { TestServers } from '@expert-relay/testkit';
import { makeSecrets } from '../../scripts/local/secrets.ts';

/** The settings that all services of a test share. Only the addresses of other services are added later. */
export function constellationEnv(options: {
  servers: TestServers;
  prefix: string;
  publicUrl: string;
}): Record<string, string> {
  const { servers, prefix, publicUrl } = options;
  return {
    ...makeSecrets().settings,
    DATABASE_URL: servers.databaseUrl,
    REDIS_URL: servers.redisUrl,
    NATS_URL: servers.natsUrl,
    RELAY_NATS_PREFIX: prefix,
    // NATS reserves this space for each stream, and many tests share one server.
    RELAY_NATS_MAX_BYTES: String(16 * 2 ** 20),
    RELAY_REDIS_PREFIX: prefix,
    RELAY_PUBLIC_URL: publicUrl,
    RELAY_HOST: '127.0.0.1',
    RELAY_WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
    RELAY_PORT: '0',
    RELAY_OPS_PORT: '0',
    RELAY_DATABASE_POOL: '4',
    RELAY_DEV_LOGIN: 'true',
    // GitHub is only called after a browser has returned from its sign-in page.
    RELAY_GITHUB_CLIENT_ID: 'test',
    RELAY_GITHUB_CLIENT_SECRET: 'test',
    RELAY_ALLOWED_USERS: '*',
    // A busy machine may stall for longer than the default.
    RELAY_START_PATIENCE: '60s',
    RELAY_SHUTDOWN_PAUSE: '0s',
    RELAY_HUB_DRAIN_SPREAD: '0s',
    // Tests make many calls from one address. Tests of the limits set their own values.
    RELAY_RATE_LIMIT_PAGES: '0',
    RELAY_RATE_LIMIT_API: '0',
    RELAY_RATE_LIMIT_POLL: '0',
    RELAY_HUB_FAILURES_PER_ADDRESS: '0',
  };
}
