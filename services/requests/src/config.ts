import {
  conversationTtlVariable,
  databaseVariables,
  principalKeyVariable,
  publicUrlVariable,
  read,
  secret,
  type Values,
  writerVariables,
} from '@expert-relay/kit/config';

export const variables = {
  ...writerVariables({ port: 8081 }),
  principalKeys: {
    gateway: principalKeyVariable('gateway', 'requests'),
    dashboard: principalKeyVariable('dashboard', 'requests'),
    hub: principalKeyVariable('hub', 'requests'),
  },
  streamTokenKey: secret('RELAY_STREAM_TOKEN_PRIVATE_KEY', {
    help: 'Signs stream tokens: an Ed25519 private key, base64url of its PKCS#8 DER.',
    minLength: 64,
    expected: 'an Ed25519 private key, base64url of its PKCS#8 DER',
  }),
  conversationTtl: conversationTtlVariable,
};

export type Config = Values<typeof variables>;

export const readConfig = (env: NodeJS.ProcessEnv = process.env): Config => read(variables, env);

/** The settings of the admin command: the database, and the relay's address for links. */
export const readAdminConfig = (env: NodeJS.ProcessEnv = process.env) =>
  read({ database: databaseVariables, publicUrl: publicUrlVariable }, env);
