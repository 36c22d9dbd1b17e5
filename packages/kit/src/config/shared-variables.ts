import {
  choice,
  duration,
  integer,
  keysWithIds,
  keyWithId,
  list,
  secret,
  text,
  url,
  type Values,
} from './variable.ts';

/** The settings of every service. */
export const processVariables = {
  logLevel: choice('RELAY_LOG_LEVEL', {
    help: 'The least severe level of log lines that are written.',
    options: ['trace', 'debug', 'info', 'warn', 'error', 'silent'],
    default: 'info',
  }),
  host: text('RELAY_HOST', {
    help: 'The address that the service and its ops server listen on.',
    default: '0.0.0.0',
  }),
  opsPort: integer('RELAY_OPS_PORT', {
    help: 'The port of /livez, /readyz and /metrics; 0 picks a free one.',
    default: 9090,
    max: 65535,
  }),
  shutdownPause: duration('RELAY_SHUTDOWN_PAUSE', {
    help: 'How long a stopping service stays open while unready, so that load balancers stop sending to it.',
    default: '5s',
  }),
  shutdownLimit: duration('RELAY_SHUTDOWN_LIMIT', {
    help: 'After this time a stopping service ends at once, even if calls are still running.',
    default: '25s',
  }),
};

/** As in OpenTelemetry's specification, values are percent-encoded. Control characters would make headers invalid. */
const namedValues = {
  pattern: /^[^=%\s]+=([^%\s]|%[2-6][0-9a-f]|%7[0-9a-e])*$/i,
  expected: 'name=value, percent-encoded, several separated by commas',
};

/** OpenTelemetry's own names, so that the settings of a cluster for all its programs fit. */
export const tracingVariables = {
  endpoint: url('OTEL_EXPORTER_OTLP_ENDPOINT', {
    help: 'The address of an OpenTelemetry collector, to which traces are sent as OTLP over HTTP (JSON, at `/v1/traces`). No traces when not set.',
    protocols: ['http:', 'https:'],
    optional: true,
  }),
  headers: list('OTEL_EXPORTER_OTLP_HEADERS', {
    help: 'Headers of the calls of the collector, such as `authorization=Bearer%20...`; several are separated by commas.',
    ...namedValues,
    secret: true,
  }),
  sampler: choice('OTEL_TRACES_SAMPLER', {
    help: 'Which traces are recorded. With `parentbased_...`, a caller with a valid API key that sends a `traceparent` decides for its calls; otherwise each call begins a trace of its own.',
    options: [
      'parentbased_always_on',
      'parentbased_always_off',
      'parentbased_traceidratio',
      'always_on',
      'always_off',
      'traceidratio',
    ],
    default: 'parentbased_always_on',
  }),
  ratio: text('OTEL_TRACES_SAMPLER_ARG', {
    help: 'The share of the traces that `traceidratio` records, such as 0.01.',
    default: '1',
    pattern: /^(0(\.\d+)?|1(\.0+)?)$/,
    expected: 'a number from 0 to 1',
  }),
  resource: list('OTEL_RESOURCE_ATTRIBUTES', {
    help: 'Attributes of all spans, such as `deployment.environment.name=production`; several are separated by commas.',
    ...namedValues,
  }),
};

export type TracingSettings = Values<typeof tracingVariables>;

/** The port of a service that serves HTTP. */
export const portVariable = (port: number) =>
  integer('RELAY_PORT', {
    help: 'The port that the service listens on; 0 picks a free one.',
    default: port,
    max: 65535,
  });

const postgres = ['postgres:', 'postgresql:'];

export const databaseVariables = {
  url: url('DATABASE_URL', {
    help: 'The address of Postgres, or of a pooler; for a pooler in transaction mode add ?pgbouncer=true.',
    protocols: postgres,
    secret: true,
  }),
  poolSize: integer('RELAY_DATABASE_POOL', {
    help: 'Connections to Postgres, at most.',
    default: 10,
    min: 1,
    max: 500,
  }),
  patience: duration('RELAY_START_PATIENCE', {
    help: 'How long a starting service waits for a Postgres that is away before it ends with an error.',
    default: '6s',
  }),
};

export const directDatabaseVariable = url('DATABASE_DIRECT_URL', {
  help: 'The address of Postgres without a pooler, for session locks and migrations. DATABASE_URL when not set.',
  protocols: postgres,
  secret: true,
  optional: true,
});

export const natsVariables = {
  url: url('NATS_URL', {
    help:
      'The address of NATS with JetStream. With user and password: nats://user:password@host:4222. ' +
      'For a server with TLS, use tls://.',
    protocols: ['nats:', 'tls:'],
    secret: true,
  }),
  caFile: text('RELAY_NATS_CA_FILE', {
    help: "A file with the certificates (PEM) of the authorities that sign NATS's certificate, instead of the system's. Requires TLS.",
    optional: true,
  }),
  certFile: text('RELAY_NATS_CERT_FILE', {
    help: 'A file with the certificate (PEM) that this service sends to NATS. Requires RELAY_NATS_KEY_FILE.',
    optional: true,
  }),
  keyFile: text('RELAY_NATS_KEY_FILE', {
    help: 'A file with the private key (PEM) of RELAY_NATS_CERT_FILE.',
    optional: true,
  }),
  credentialsFile: text('RELAY_NATS_CREDENTIALS_FILE', {
    help: 'A `.creds` file of a NATS user.',
    optional: true,
  }),
  nkeySeed: secret('RELAY_NATS_NKEY_SEED', {
    help: 'The seed (SU...) of the nkey that this service signs in with.',
    optional: true,
    minLength: 58,
  }),
  prefix: text('RELAY_NATS_PREFIX', {
    help: 'The first part of all subjects; the stream is named after it.',
    default: 'relay',
    pattern: /^[a-z0-9][a-z0-9_-]{0,39}$/,
    expected: 'up to 40 of a-z, 0-9, _ and -, of which the first is a letter or a digit',
  }),
};

/** The stream, which the leader of the outbox creates and adjusts. */
const streamVariables = {
  replicas: integer('RELAY_NATS_REPLICAS', {
    help: 'The number of NATS servers that keep the stream: 3 in a cluster.',
    default: 1,
    min: 1,
    max: 5,
  }),
  maxBytes: integer('RELAY_NATS_MAX_BYTES', {
    help: 'The size of the stream, at which it drops its oldest events. NATS reserves the space.',
    default: 2 ** 30,
    min: 2 ** 20,
  }),
};

export const redisVariables = {
  url: url('REDIS_URL', { help: 'The address of Redis.', protocols: ['redis:', 'rediss:'], secret: true }),
  prefix: text('RELAY_REDIS_PREFIX', {
    help: 'The first part of all keys.',
    default: 'relay',
    pattern: /^[a-z0-9_-]{1,40}$/,
    expected: 'up to 40 of a-z, 0-9, _ and -',
  }),
};

/** The settings of a service that writes to Postgres and serves other services. */
export const writerVariables = ({ port }: { port: number }) => ({
  process: processVariables,
  tracing: tracingVariables,
  port: portVariable(port),
  maxLongResponses: integer('RELAY_MAX_LONG_RESPONSES', {
    help:
      'Responses of more than 64 KiB that one user may receive at the same time, for each process; 0 = no limit. One key or ' +
      'session gets three quarters of them.',
    default: 16,
  }),
  database: { ...databaseVariables, directUrl: directDatabaseVariable },
  nats: { ...natsVariables, stream: streamVariables },
});

/** The address of another service. */
export const serviceUrlVariable = (service: string) =>
  url(`RELAY_${service.toUpperCase()}_URL`, {
    help: `Where the ${service} service is reached.`,
    protocols: ['http:', 'https:'],
  });

/** The key with which `caller` signs principals for `callee`; both read the same variable. */
export const principalKeyVariable = (caller: string, callee: string) =>
  keysWithIds(`RELAY_PRINCIPAL_KEY_${caller.toUpperCase()}_${callee.toUpperCase()}`, {
    help:
      `Signs the principals that ${caller} sends to ${callee}: ${keyWithId}. ` +
      'During a rotation two, separated by a comma: the first signs, both are accepted.',
  });

export const corsOriginsVariable = list('RELAY_CORS_ORIGINS', {
  help: 'Further origins whose pages may call, besides RELAY_PUBLIC_URL.',
  pattern: /^https?:\/\/[^/]+$/,
  expected: 'origins such as https://example.com, separated by commas',
});

export const publicUrlVariable = url('RELAY_PUBLIC_URL', {
  help: 'The address under which the gateway is reached from outside.',
  protocols: ['http:', 'https:'],
  default: 'http://127.0.0.1:8080',
});

export const hubPublicUrlVariable = url('RELAY_HUB_PUBLIC_URL', {
  help: 'The address under which the hub is reached from outside: clients learn it from the gateway.',
  protocols: ['http:', 'https:'],
  default: 'http://127.0.0.1:8090',
});

export const conversationTtlVariable = duration('RELAY_CONVERSATION_TTL', {
  help: 'How long a conversation lasts, unless its agent asks for less.',
  default: '72h',
  min: '1s',
});

/** The shortest lifetime that an agent can choose for a conversation. The worker's sweeps must see each before its end. */
export const shortestLifetimeMs = 60_000;

export const trustedProxiesVariable = list('RELAY_TRUSTED_PROXIES', {
  help: 'Addresses or CIDRs of the proxies in front, whose X-Forwarded-For is trusted.',
  pattern: /^[0-9a-f.:]+(\/\d{1,3})?$/i,
  expected: 'addresses or CIDRs such as 10.42.3.17 or 10.42.5.0/28, separated by commas',
});

/**
 * The origins that are this site: that of RELAY_PUBLIC_URL and, where its host is a loopback name, the other
 * loopback names with the same scheme and port.
 */
export function siteOrigins(publicUrl: string): readonly string[] {
  const { origin, protocol, hostname, port } = new URL(publicUrl);
  if (!isLoopback(hostname)) return [origin];
  const names = [hostname, 'localhost', '127.0.0.1', '[::1]'];
  return [...new Set(names.map((name) => new URL(`${protocol}//${name}:${port}`).origin))];
}

/** Whether a host name or an address to listen on can be reached only from this machine. */
export const isLoopback = (host: string): boolean =>
  /^(localhost|127(\.\d{1,3}){3}|::1|\[::1\])$/i.test(host);
