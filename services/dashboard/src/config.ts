import {
  ConfigError,
  duration,
  flag,
  hubPublicUrlVariable,
  isLoopback,
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
  hubPublicUrl: hubPublicUrlVariable,
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
    help:
      'Lets anybody sign in under any name (POST /auth/dev). For the local run only: it needs a loopback ' +
      'RELAY_PUBLIC_URL and RELAY_HOST, and a NODE_ENV that is not production.',
    default: false,
  }),
};

export type Config = Values<typeof variables>;

export function readConfig(env: NodeJS.ProcessEnv = process.env): Config {
  const config = read(variables, env);
  const reasons = config.devLogin ? reasonsAgainstDevLogin(config, env.NODE_ENV) : [];
  if (reasons.length > 0) {
    throw new ConfigError([
      `RELAY_DEV_LOGIN is true although ${reasons.join(' and ')}. It lets anybody sign in as anybody: set it to ` +
        'false, or run on this machine alone, with RELAY_PUBLIC_URL=http://127.0.0.1:8080 and RELAY_HOST=127.0.0.1.',
    ]);
  }
  return config;
}

/** One setting that was left over from a local run must not open a deployed relay. */
function reasonsAgainstDevLogin({ publicUrl, process }: Config, nodeEnv: string | undefined): string[] {
  return [
    ...(nodeEnv === 'production' ? ['NODE_ENV is production'] : []),
    ...(isLoopback(new URL(publicUrl).hostname) ? [] : ['RELAY_PUBLIC_URL is not a loopback address']),
    ...(isLoopback(process.host) ? [] : [`RELAY_HOST is ${process.host}`]),
  ];
}
