import {
  corsOriginsVariable,
  databaseVariables,
  hubPublicUrlVariable,
  integer,
  natsVariables,
  portVariable,
  principalKeyVariable,
  processVariables,
  publicUrlVariable,
  read,
  serviceUrlVariable,
  tracingVariables,
  trustedProxiesVariable,
  type Values,
} from '@expert-relay/kit/config';

export const variables = {
  process: processVariables,
  tracing: tracingVariables,
  port: portVariable(8080),
  publicUrl: publicUrlVariable,
  hubPublicUrl: hubPublicUrlVariable,
  corsOrigins: corsOriginsVariable,
  database: databaseVariables,
  nats: natsVariables,
  upstreams: {
    requests: serviceUrlVariable('requests'),
    messages: serviceUrlVariable('messages'),
    dashboard: serviceUrlVariable('dashboard'),
    notifier: serviceUrlVariable('notifier'),
  },
  principalKeys: {
    requests: principalKeyVariable('gateway', 'requests'),
    messages: principalKeyVariable('gateway', 'messages'),
    dashboard: principalKeyVariable('gateway', 'dashboard'),
    notifier: principalKeyVariable('gateway', 'notifier'),
  },
  rateLimits: {
    pages: integer('RELAY_RATE_LIMIT_PAGES', {
      help: 'Calls a minute from one address, without those of /api/v1/*; 0 = no limit.',
      default: 60,
    }),
    api: integer('RELAY_RATE_LIMIT_API', {
      help: 'Calls of /api/v1/* a minute from one address; 0 = no limit.',
      default: 30,
    }),
    key: integer('RELAY_RATE_LIMIT_KEY', {
      help: 'Calls a minute with one API key. Such calls then do not count for their address: for an office or a CI system with many keys behind one address. 0 = they count for their address.',
      default: 0,
    }),
    poll: integer('RELAY_RATE_LIMIT_POLL', {
      help: 'Calls of GET /api/v1/help/:requestId a minute from one address; 0 = no limit.',
      default: 20,
    }),
  },
  connections: {
    perAddress: integer('RELAY_MAX_CONNECTIONS_PER_ADDRESS', {
      help: 'The most open connections of one client address (IPv6: of one /64); 0 = no limit. Trusted proxies have no limit.',
      default: 1_000,
    }),
    total: integer('RELAY_MAX_CONNECTIONS', {
      help: 'The most open connections of all addresses. Above it the one that has been idle longest is closed.',
      default: 5_000,
      min: 10,
    }),
  },
  bufferMemory: integer('RELAY_BUFFER_MEMORY', {
    help: 'The most bytes in memory of bodies that no service has received, and of responses that clients have not read. Above it the oldest incomplete body is refused, or the client that has read nothing for longest is disconnected, whichever is older.',
    default: 67_108_864,
    min: 2_097_152,
  }),
  trustedProxies: trustedProxiesVariable,
};

export type Config = Values<typeof variables>;

export const readConfig = (env: NodeJS.ProcessEnv = process.env): Config => read(variables, env);
