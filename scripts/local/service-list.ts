import type { Variable } from './environment.ts';

/** A service of the local run and the variables it needs. */
export interface ServiceEntry {
  name: ServiceName;
  /** Stopped in falling order: first who calls, then who is called. */
  tier: number;
  needs: readonly Variable[];
}

export type ServiceName = 'gateway' | 'requests' | 'messages' | 'hub' | 'dashboard' | 'expiry-worker';

export const services: readonly ServiceEntry[] = [
  {
    name: 'requests',
    tier: 1,
    needs: [
      'DATABASE_URL',
      'DATABASE_DIRECT_URL',
      'NATS_URL',
      'RELAY_STREAM_TOKEN_PRIVATE_KEY',
      'RELAY_PRINCIPAL_KEY_GATEWAY_REQUESTS',
      'RELAY_PRINCIPAL_KEY_DASHBOARD_REQUESTS',
      'RELAY_PRINCIPAL_KEY_HUB_REQUESTS',
    ],
  },
  {
    name: 'messages',
    tier: 1,
    needs: [
      'DATABASE_URL',
      'DATABASE_DIRECT_URL',
      'NATS_URL',
      'RELAY_PRINCIPAL_KEY_GATEWAY_MESSAGES',
      'RELAY_PRINCIPAL_KEY_DASHBOARD_MESSAGES',
    ],
  },
  { name: 'expiry-worker', tier: 1, needs: ['DATABASE_URL', 'REDIS_URL'] },
  {
    name: 'dashboard',
    tier: 2,
    needs: [
      'REDIS_URL',
      'RELAY_PUBLIC_URL',
      'RELAY_HUB_PUBLIC_URL',
      'RELAY_REQUESTS_URL',
      'RELAY_MESSAGES_URL',
      'RELAY_SESSION_SECRET',
      'RELAY_DEV_LOGIN',
      'RELAY_PRINCIPAL_KEY_GATEWAY_DASHBOARD',
      'RELAY_PRINCIPAL_KEY_DASHBOARD_REQUESTS',
      'RELAY_PRINCIPAL_KEY_DASHBOARD_MESSAGES',
    ],
  },
  {
    name: 'hub',
    tier: 3,
    needs: [
      'NATS_URL',
      'RELAY_PUBLIC_URL',
      'RELAY_REQUESTS_URL',
      'RELAY_PRINCIPAL_KEY_HUB_REQUESTS',
      'RELAY_STREAM_TOKEN_PUBLIC_KEYS',
      'RELAY_CORS_ORIGINS',
      'RELAY_HUB_MAX_STREAMS_PER_ADDRESS',
      'RELAY_HUB_MAX_STREAMS_ANONYMOUS',
      'RELAY_HUB_SCANS_PER_ADDRESS',
      'RELAY_HUB_MAX_CONNECTIONS_PER_ADDRESS',
      'RELAY_HUB_FAILURES_PER_ADDRESS',
      'RELAY_HUB_DRAIN_SPREAD',
    ],
  },
  {
    name: 'gateway',
    tier: 3,
    needs: [
      'DATABASE_URL',
      'NATS_URL',
      'RELAY_PUBLIC_URL',
      'RELAY_HUB_PUBLIC_URL',
      'RELAY_CORS_ORIGINS',
      'RELAY_MAX_CONNECTIONS_PER_ADDRESS',
      'RELAY_RATE_LIMIT_PAGES',
      'RELAY_RATE_LIMIT_API',
      'RELAY_RATE_LIMIT_POLL',
      'RELAY_REQUESTS_URL',
      'RELAY_MESSAGES_URL',
      'RELAY_DASHBOARD_URL',
      'RELAY_PRINCIPAL_KEY_GATEWAY_REQUESTS',
      'RELAY_PRINCIPAL_KEY_GATEWAY_MESSAGES',
      'RELAY_PRINCIPAL_KEY_GATEWAY_DASHBOARD',
    ],
  },
];
