import {
  ConfigError,
  databaseVariables,
  keysWithIds,
  keyWithId,
  list,
  optional,
  portVariable,
  principalKeyVariable,
  processVariables,
  publicUrlVariable,
  read,
  secrets,
  text,
  tracingVariables,
  url,
  type Values,
} from '@expert-relay/kit/config';

export const variables = {
  process: processVariables,
  tracing: tracingVariables,
  port: portVariable(8085),
  database: databaseVariables,
  principalKeys: {
    gateway: principalKeyVariable('gateway', 'notifier'),
    dashboard: principalKeyVariable('dashboard', 'notifier'),
  },
  endpointKeys: keysWithIds('RELAY_ENDPOINT_KEYS', {
    help:
      `Encrypts the addresses and secrets of webhooks and channels in the database: ${keyWithId}. ` +
      'During a rotation two, separated by a comma: the first encrypts, both can be read.',
    maxBytes: 32,
  }),
  allowedNetworks: list('RELAY_WEBHOOK_ALLOWED_NETWORKS', {
    help:
      'Networks that are not public and to which webhooks and chat messages may be delivered, also over http and on any port. Every user ' +
      'with an API key can then send requests to their addresses, and read the first 256 characters of the responses.',
    pattern: /^[0-9a-f.:]+\/\d{1,3}$/i,
    expected: 'CIDRs such as 10.20.0.0/16 or fd00::/8, separated by commas',
  }),
  publicUrl: publicUrlVariable,
  push: {
    keys: optional(
      secrets('RELAY_VAPID_KEYS', {
        help:
          'Private keys with which the relay identifies itself at push services: 32 bytes of the curve P-256 in base64url. ' +
          'Push is offered when it is set. During a rotation two, separated by a comma: browsers subscribe with the first.',
        minLength: 43,
        most: 2,
      }),
    ),
    hosts: list('RELAY_PUSH_HOSTS', {
      help:
        'Hosts of push services besides those of Chrome, Edge, Firefox and Safari: names, or *. and a name for all names ' +
        'below it.',
      pattern: /^(\*\.)?[\w.:[\]-]+$/,
      expected: 'names such as push.example.com or *.push.example.com, separated by commas',
    }),
  },
  email: {
    url: url('RELAY_SMTP_URL', {
      help:
        'The mail server that emails are sent through. With user and password: smtps://user:password@host:465, or ' +
        'smtp://user:password@host:587, over which the server must then offer STARTTLS, unless it is on this machine or the ' +
        'address ends with ?requireTLS=false. Email is offered when it and RELAY_EMAIL_FROM are set.',
      protocols: ['smtp:', 'smtps:'],
      secret: true,
      optional: true,
    }),
    from: text('RELAY_EMAIL_FROM', {
      help: 'The sender of emails, which the server of RELAY_SMTP_URL must accept.',
      optional: true,
      pattern: /^([^<>\p{Cc}]{1,100} <[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/u,
      expected: 'an address such as relay@example.com or Expert Relay <relay@example.com>',
    }),
  },
};

export type Config = Values<typeof variables>;

export function readConfig(env: NodeJS.ProcessEnv = process.env): Config {
  const config = read(variables, env);
  if ((config.email.url === undefined) !== (config.email.from === undefined))
    throw new ConfigError(['RELAY_SMTP_URL and RELAY_EMAIL_FROM go together: set both, or neither.']);
  return config;
}
