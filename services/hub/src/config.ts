import {
  corsOriginsVariable,
  duration,
  flag,
  integer,
  list,
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

/** The settings of the hub. */
export const variables = {
  process: processVariables,
  tracing: tracingVariables,
  port: portVariable(8083),
  nats: natsVariables,
  requestsUrl: serviceUrlVariable('requests'),
  principalKeys: principalKeyVariable('hub', 'requests'),
  publicUrl: publicUrlVariable,
  corsOrigins: corsOriginsVariable,
  trustedProxies: trustedProxiesVariable,
  requireAuth: flag('HUB_REQUIRE_AUTH', {
    help: 'Whether request topics need a credential too. Provider topics always do.',
    default: false,
  }),
  streamTokenKeys: list('RELAY_STREAM_TOKEN_PUBLIC_KEYS', {
    help: 'The Ed25519 public keys (base64url of SPKI DER) that stream tokens are verified with; several during a rotation. Never shown, since a private key may be there by mistake.',
    pattern: /^[A-Za-z0-9_-]{40,}$/,
    expected: 'public keys as base64url, separated by commas',
    secret: true,
  }),
  caps: {
    streams: integer('RELAY_HUB_MAX_STREAMS', {
      help: 'Open streams of one hub process, at most. With 1,024 more connections open, those without a stream that are idle for longest are closed.',
      default: 15_000,
    }),
    perAddress: integer('RELAY_HUB_MAX_STREAMS_PER_ADDRESS', {
      help: 'Open streams of one client address (IPv6: of one /64), at most; 0 = no cap.',
      default: 200,
    }),
    perCredential: integer('RELAY_HUB_MAX_STREAMS_PER_CREDENTIAL', {
      help: 'Open streams of one API key or session, at most; 0 = no cap.',
      default: 100,
    }),
    perUser: integer('RELAY_HUB_MAX_STREAMS_PER_USER', {
      help: 'Open streams of one user, with all API keys and sessions together, at most; 0 = no cap.',
      default: 1_000,
    }),
    anonymous: integer('RELAY_HUB_MAX_STREAMS_ANONYMOUS', {
      help: 'Open streams without a credential, at most, so that streams with one are always possible; 0 = no cap.',
      default: 5_000,
    }),
    connectionsPerAddress: integer('RELAY_HUB_MAX_CONNECTIONS_PER_ADDRESS', {
      help: 'Open connections of one address (IPv6: of one /64) that carry no stream, at most; further ones are closed at once. A trusted proxy has no cap. 0 = no cap.',
      default: 256,
    }),
  },
  scans: {
    perAddress: integer('RELAY_HUB_SCANS_PER_ADDRESS', {
      help: 'Scans for events older than the ring, a minute, that the streams of one client address (IPv6: of one /64) without a credential may cause; 0 = no limit. Streams that share a scan count as one. Beyond it, a stream begins with `hub.reset`.',
      default: 30,
    }),
    perCredential: integer('RELAY_HUB_SCANS_PER_CREDENTIAL', {
      help: 'Scans a minute that the streams of one API key or session may cause, counted as for RELAY_HUB_SCANS_PER_ADDRESS.',
      default: 60,
    }),
    perUser: integer('RELAY_HUB_SCANS_PER_USER', {
      help: 'Scans a minute that the streams of one user may cause, with all API keys and sessions together, counted as for RELAY_HUB_SCANS_PER_ADDRESS.',
      default: 240,
    }),
  },
  failuresPerAddress: integer('RELAY_HUB_FAILURES_PER_ADDRESS', {
    help: 'Calls a minute from one address (IPv6: of one /64) that may be refused with 401 or 403. Beyond it, a key that was not valid recently gets 429 without a check. 0 = no limit.',
    default: 60,
  }),
  stream: {
    heartbeat: duration('RELAY_HUB_HEARTBEAT', {
      help: 'How often each stream gets a heartbeat.',
      default: '15s',
      min: '50ms',
    }),
    lifetime: duration('RELAY_HUB_STREAM_LIFETIME', {
      help: 'A stream ends after this (up to a fifth earlier, so that not all end at once) and its subscriber reconnects.',
      default: '1h',
      min: '1s',
    }),
    retry: duration('RELAY_HUB_RETRY', {
      help: 'How long subscribers are asked to wait before they reconnect; each gets a random time from half of it to one and a half.',
      default: '2s',
    }),
    busyRetry: duration('RELAY_HUB_BUSY_RETRY', {
      help: 'How long subscribers that are refused because a cap is reached are asked to wait, with the same random variation as RELAY_HUB_RETRY.',
      default: '60s',
    }),
    maxBufferedBytes: integer('RELAY_HUB_SUBSCRIBER_MAX_BYTES', {
      help: 'A subscriber is disconnected when more bytes than this wait for it in the process.',
      default: 1_048_576,
      min: 1_024,
    }),
    maxStall: duration('RELAY_HUB_SUBSCRIBER_MAX_STALL', {
      help: 'A subscriber is disconnected when it has accepted none of its waiting bytes for this long.',
      default: '30s',
    }),
    drainSpread: duration('RELAY_HUB_DRAIN_SPREAD', {
      help: 'A stopping hub ends its streams spread over this time, so that subscribers do not all reconnect at once.',
      default: '10s',
    }),
  },
  ring: {
    events: integer('RELAY_HUB_RING_EVENTS', {
      help: 'The newest events kept in memory; a subscriber that resumes from an older one is served from NATS.',
      default: 50_000,
      min: 1,
    }),
    bytes: integer('RELAY_HUB_RING_BYTES', {
      help: 'The approximate memory that the newest events may take (RELAY_HUB_RING_EVENTS).',
      default: 67_108_864,
      min: 65_536,
    }),
  },
};

export type Config = Values<typeof variables>;

export const readConfig = (env: Readonly<Record<string, string | undefined>> = process.env): Config =>
  read(variables, env);
