import {
  databaseVariables,
  list,
  natsVariables,
  portVariable,
  principalKeyVariable,
  processVariables,
  read,
  secret,
  type Values,
} from '@expert-relay/kit/config';

export const variables = {
  process: processVariables,
  port: portVariable(8085),
  database: databaseVariables,
  nats: natsVariables,
  principalKeys: {
    gateway: principalKeyVariable('gateway', 'notifier'),
  },
  endpointKeys: secret('RELAY_ENDPOINT_KEYS', {
    help:
      'Encrypts the addresses and secrets of webhooks in the database: <key id>:<base64url of 32 random bytes>. ' +
      'During a rotation two, separated by a comma: the first encrypts, both can be read.',
    minLength: 45,
  }),
  allowedNetworks: list('RELAY_WEBHOOK_ALLOWED_NETWORKS', {
    help:
      'Networks that are not public and to which webhooks may be delivered, also over http and on any port. Every user ' +
      'with an API key can then send requests to their addresses.',
    pattern: /^[0-9a-f.:]+\/\d{1,3}$/i,
    expected: 'CIDRs such as 10.20.0.0/16 or fd00::/8, separated by commas',
  }),
};

export type Config = Values<typeof variables>;

export const readConfig = (env: NodeJS.ProcessEnv = process.env): Config => read(variables, env);
