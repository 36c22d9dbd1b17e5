import {
  ConfigError,
  duration,
  flag,
  hubPublicUrlVariable,
  isLoopback,
  list,
  portVariable,
  principalKeyVariable,
  processVariables,
  publicUrlVariable,
  read,
  redisVariables,
  secret,
  secrets,
  serviceUrlVariable,
  text,
  tracingVariables,
  url,
  type Values,
} from '@expert-relay/kit/config';
import { allowedUser } from './sign-in/allowed-users.ts';

export const variables = {
  process: processVariables,
  tracing: tracingVariables,
  port: portVariable(8084),
  publicUrl: publicUrlVariable,
  hubPublicUrl: hubPublicUrlVariable,
  redis: redisVariables,
  upstreams: {
    requests: serviceUrlVariable('requests'),
    messages: serviceUrlVariable('messages'),
    notifier: serviceUrlVariable('notifier'),
  },
  principalKeys: {
    gateway: principalKeyVariable('gateway', 'dashboard'),
    requests: principalKeyVariable('dashboard', 'requests'),
    messages: principalKeyVariable('dashboard', 'messages'),
    notifier: principalKeyVariable('dashboard', 'notifier'),
  },
  session: {
    secrets: secrets('RELAY_SESSION_SECRET', {
      help:
        'Signs the cookies of sessions and sign-ins. Two, separated by a comma, during a rotation: the first signs, ' +
        'both are accepted.',
      minLength: 32,
      most: 2,
    }),
    idleTimeout: duration('RELAY_SESSION_IDLE', {
      help: 'A session that is not used for this long ends.',
      default: '7d',
      min: '1m',
    }),
    lifetime: duration('RELAY_SESSION_LIFETIME', {
      help: 'A session ends this long after its sign-in, even if it is used all the time.',
      default: '30d',
      min: '1m',
    }),
  },
  github: {
    clientId: text('RELAY_GITHUB_CLIENT_ID', {
      help: 'The client id of the OAuth app at GitHub. Sign-in with GitHub is offered when it is set.',
      optional: true,
    }),
    clientSecret: secret('RELAY_GITHUB_CLIENT_SECRET', {
      help: 'A client secret of that OAuth app.',
      optional: true,
    }),
    url: url('RELAY_GITHUB_URL', {
      help: 'The address of GitHub: another one for GitHub Enterprise.',
      protocols: ['https:', 'http:'],
      default: 'https://github.com',
    }),
    apiUrl: url('RELAY_GITHUB_API_URL', {
      help:
        "The address of GitHub's API. When not set: https://api.github.com, or RELAY_GITHUB_URL with /api/v3 for " +
        'GitHub Enterprise.',
      protocols: ['https:', 'http:'],
      optional: true,
    }),
  },
  google: {
    clientId: text('RELAY_GOOGLE_CLIENT_ID', {
      help: 'The OAuth client id at Google. Sign-in with Google is offered when it is set.',
      optional: true,
    }),
    clientSecret: secret('RELAY_GOOGLE_CLIENT_SECRET', {
      help: 'The client secret of that client.',
      optional: true,
    }),
    issuer: url('RELAY_GOOGLE_ISSUER', {
      help: 'The OpenID Connect issuer. An http address must be one of this machine.',
      protocols: ['https:', 'http:'],
      default: 'https://accounts.google.com',
    }),
  },
  oidc: {
    clientId: text('RELAY_OIDC_CLIENT_ID', {
      help: 'The client id at an OpenID provider of your own. Sign-in with it is offered when it is set.',
      optional: true,
    }),
    clientSecret: secret('RELAY_OIDC_CLIENT_SECRET', {
      help: 'The client secret of that client.',
      optional: true,
    }),
    issuer: url('RELAY_OIDC_ISSUER', {
      help: 'The issuer of that provider: its address without /.well-known/openid-configuration. An http address must be one of this machine.',
      protocols: ['https:', 'http:'],
      optional: true,
    }),
    title: text('RELAY_OIDC_NAME', {
      help: 'Its name on the button: "Okta" gives "Continue with Okta".',
      default: 'OpenID',
      pattern: /^[^\p{Cc}]{1,40}$/u,
      expected: 'a text of 1 to 40 characters',
    }),
    scope: text('RELAY_OIDC_SCOPES', {
      help: 'The scopes that are asked for, separated by spaces. Some providers state groups only with another one.',
      default: 'openid email profile',
      pattern: /^openid( [^\s"\\]+)*$/,
      expected: 'scopes separated by spaces, of which the first is openid',
    }),
    groupsClaim: text('RELAY_OIDC_GROUPS_CLAIM', {
      help: "The claim that lists a person's groups, which RELAY_ALLOWED_USERS may name as oidc:group/experts.",
      default: 'groups',
    }),
  },
  allowedUsers: list('RELAY_ALLOWED_USERS', {
    help:
      'Who may sign in with a provider: email addresses, @domains, github:logins, oidc:group/names, or * for everybody. ' +
      'No one when it is empty. Only addresses that the provider has verified count. It is checked again at each call.',
    pattern: allowedUser,
    expected:
      'entries such as ada@example.com, @example.com, github:octocat, oidc:group/experts or *, separated by commas',
  }),
  allowedUsersFile: text('RELAY_ALLOWED_USERS_FILE', {
    help: 'A file with further entries, one on each line. It is read again every five seconds, so no restart is needed.',
    optional: true,
  }),
  supportContact: text('RELAY_SUPPORT_CONTACT', {
    help: 'Whom to ask for access, shown to people who may not sign in: a name, an email address or a link.',
    optional: true,
  }),
  webFolder: text('RELAY_WEB_FOLDER', {
    help: 'The folder of the built web app. When not set: the one where `npm run build` puts it.',
    optional: true,
  }),
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
  const errors = [
    ...findProviderErrors('GITHUB', config.github, [config.github.url, config.github.apiUrl]),
    ...findProviderErrors('GOOGLE', config.google, [config.google.issuer]),
    ...findProviderErrors('OIDC', config.oidc, [config.oidc.issuer]),
    ...(config.oidc.clientId !== undefined && config.oidc.issuer === undefined
      ? [
          'RELAY_OIDC_ISSUER is not set although RELAY_OIDC_CLIENT_ID is. Set it to the issuer of your provider.',
        ]
      : []),
  ];
  const reasons = config.devLogin ? reasonsAgainstDevLogin(config, env.NODE_ENV) : [];
  if (reasons.length > 0) {
    errors.push(
      `RELAY_DEV_LOGIN is true although ${reasons.join(' and ')}. It lets anybody sign in as anybody: set it to ` +
        'false, or run only on this machine, with RELAY_PUBLIC_URL=http://127.0.0.1:8080 and RELAY_HOST=127.0.0.1.',
    );
  }
  if (errors.length > 0) throw new ConfigError(errors);
  return config;
}

function findProviderErrors(
  name: 'GITHUB' | 'GOOGLE' | 'OIDC',
  { clientId, clientSecret }: { clientId: string | undefined; clientSecret: string | undefined },
  addresses: readonly (string | undefined)[],
): string[] {
  const errors: string[] = [];
  if ((clientId === undefined) !== (clientSecret === undefined)) {
    errors.push(`RELAY_${name}_CLIENT_ID and RELAY_${name}_CLIENT_SECRET go together: set both, or neither.`);
  }
  const unsafe = addresses.find(
    (address) => address?.startsWith('http:') && !isLoopback(new URL(address).hostname),
  );
  if (unsafe !== undefined) {
    errors.push(
      `${unsafe} must begin with https: the client secret of RELAY_${name}_CLIENT_SECRET is sent there.`,
    );
  }
  return errors;
}

/** A setting that was left over from a local run must not let everybody into a deployed relay. */
function reasonsAgainstDevLogin({ publicUrl, process }: Config, nodeEnv: string | undefined): string[] {
  return [
    ...(nodeEnv === 'production' ? ['NODE_ENV is production'] : []),
    ...(isLoopback(new URL(publicUrl).hostname) ? [] : ['RELAY_PUBLIC_URL is not a loopback address']),
    ...(isLoopback(process.host) ? [] : [`RELAY_HOST is ${process.host}`]),
  ];
}
