import {
  ConfigError,
  duration,
  flag,
  portVariable,
  principalKeyVariable,
  processVariables,
  publicUrlVariable,
  read,
  redisVariables,
  secret,
  serviceUrlVariable,
  type Values,
} from '@expert-relay/kit/config';

export const variables = {
  process: processVariables,
  port: portVariable(8084),
  publicUrl: publicUrlVariable,
  redis: redisVariables,
  upstreams: {
    requests: serviceUrlVariable('requests'),
    messages: serviceUrlVariable('messages'),
  },
  principalKeys: {
    gateway: principalKeyVariable('gateway', 'dashboard'),
    requests: principalKeyVariable('dashboard', 'requests'),
    messages: principalKeyVariable('dashboard', 'messages'),
  },
  session: {
    secret: secret('RELAY_SESSION_SECRET', { help: 'Signs the session cookie.', minLength: 32 }),
    idleTimeout: duration('RELAY_SESSION_IDLE', {
      help: 'A session that is not used for so long ends.',
      default: '7d',
      min: '1m',
    }),
  },
  devLogin: flag('RELAY_DEV_LOGIN', {
    help: 'Lets anybody sign in under any name (POST /auth/dev). For the local run alone.',
    default: false,
  }),
};

export type Config = Values<typeof variables>;

/** The local sign-in must never be open to the world, whoever left it switched on. */
export function readConfig(env: NodeJS.ProcessEnv = process.env): Config {
  const config = read(variables, env);
  if (config.devLogin && env.NODE_ENV === 'production') {
    throw new ConfigError([
      'RELAY_DEV_LOGIN is true although NODE_ENV is production. It must be false there.',
    ]);
  }
  return config;
}
