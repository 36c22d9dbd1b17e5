import { permissionsFor } from '@expert-relay/contracts';
import { renderPermissions } from '../servers/nats.ts';

const passwordOf = (server: string, user: string): string =>
  `${server}_PASSWORD_${user.toUpperCase().replaceAll('-', '_')}`;

/** charts/expert-relay/files/nats-users.conf: for each service a user who may do what it does, and no more. */
export function renderNatsUsers(prefix = 'relay'): string {
  const users = Object.entries(permissionsFor(prefix)).map(
    ([user, permissions]) => `    {
      user: ${user}, password: $${passwordOf('NATS', user)}
      permissions: ${renderPermissions(permissions)}
    }`,
  );
  return `# Made by \`npm run docs\` from permissionsFor in packages/contracts. Do not edit.
# The passwords are variables of the server's environment.
authorization {
  users: [
${users.join('\n')}
  ]
}
`;
}

/** The keys that each service uses in Redis. */
const redisKeys = (prefix: string) => ({
  'expiry-worker': `${prefix}:expiry:*`,
  dashboard: `${prefix}:session*`,
});

/** What a service may do with its keys. INFO counts as dangerous, and clients ask it whether the server is ready. */
const commands = ['+@all', '-@admin', '-@dangerous', '+info'];

/**
 * Users of Redis, as arguments of redis-server: `$(NAME)` is replaced by Kubernetes. Without a password they are lines of
 * an ACL file, less the password.
 */
export function redisUsers(prefix = 'relay', password = (user: string) => `$(${passwordOf('REDIS', user)})`) {
  return [
    // `default` is disabled, so no client can authenticate as it. It keeps all permissions, because Redis replays its append-only
    // file as this user when it starts, and skips transactions and scripts that the user may not run (redis/redis#14541).
    ['--user', 'default', 'off', '~*', '&*', '+@all'],
    ...Object.entries(redisKeys(prefix)).map(([user, keys]) => [
      '--user',
      user,
      'on',
      `>${password(user)}`,
      `~${keys}`,
      '&*',
      ...commands,
    ]),
  ];
}

/** charts/expert-relay/files/redis-users.yaml: the arguments of redis-server that make the users. */
export function renderRedisUsers(): string {
  const lines = redisUsers().map((user) => user.map((word) => `- ${JSON.stringify(word)}`).join('\n'));
  return `# Made by \`npm run docs\` from the keys that the services use. Do not edit.\n${lines.join('\n')}\n`;
}
