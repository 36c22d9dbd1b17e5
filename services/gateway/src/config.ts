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
  connectionsPerAddress: integer('RELAY_MAX_CONNECTIONS_PER_ADDRESS', {
    help: 'The most open connections of one client address (IPv6: of one /64); 0 = no limit. Trusted proxies have no limit.',
    default: 1_000,
  }),
  bodies: {
    slowPerAddress: integer('RELAY_MAX_SLOW_BODIES_PER_ADDRESS', {
      help: 'Bodies of one client address (IPv6: of one /64) that may be incomplete after 5 s; 0 = no limit.',
      default: 64,
    }),
    bytes: integer('RELAY_BODY_MEMORY', {
      help: 'The most bytes of bodies in memory, of which one client address may use a quarter and an IPv6 /48 a half. Above it the oldest slow body is refused, or the newest body if none is slow.',
      default: 67_108_864,
      min: 2_097_152,
    }),
  },
  answerMemory: integer('RELAY_ANSWER_MEMORY', {
    help: 'The most bytes of answers that wait in memory for their clients, of which one client address may use a quarter and an IPv6 /48 a half. Above it the slowest client is disconnected.',
    default: 67_108_864,
    min: 2_097_152,
  }),
  minTransferRate: integer('RELAY_MIN_TRANSFER_RATE', {
    help: 'Bytes per second that a client must read of an answer, on average; slower clients are disconnected. 0 = no limit.',
    default: 8_192,
  }),
  trustedProxies: trustedProxiesVariable,
};

export type Config = Values<typeof variables>;

export const readConfig = (env: NodeJS.ProcessEnv = process.env): Config => read(variables, env);
