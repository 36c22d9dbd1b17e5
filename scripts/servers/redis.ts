import { converse } from './conversation.ts';
import { findVersion, type ServerKind } from './server-kind.ts';

/** Redis keeps what the queue needs: nothing is evicted, and what was written survives a restart. */
const settings = ['--save', '', '--appendonly', 'yes', '--maxmemory-policy', 'noeviction'];

export const redis: ServerKind = {
  name: 'redis',
  title: 'Redis',
  minimum: '6.2',
  variable: 'REDIS_URL',
  example: 'redis://127.0.0.1:6379',
  protocols: ['redis:', 'rediss:'],
  programs: ['redis-server', 'valkey-server'],
  folders: ['/usr/bin', '/usr/local/bin', '/opt/homebrew/bin', '/opt/local/bin'],
  debianPackage: 'redis-server',
  homebrew: 'redis',
  image: 'redis:7-alpine',
  dockerByHand:
    'docker run -d -p 127.0.0.1:6379:6379 redis:7-alpine --appendonly yes --maxmemory-policy noeviction',
  stopSignal: 'SIGTERM',
  probe: probeRedis,
  url: ({ port }) => `redis://127.0.0.1:${port}`,

  async runProgram({ data, port }, { path }) {
    // The data folder is the working directory, so that no path, however odd, has to be quoted.
    const listen = ['--bind', '127.0.0.1', '--port', String(port), '--daemonize', 'no'];
    return { command: path, args: [...listen, ...settings], cwd: data };
  },

  runImage: ({ data, port }) => ({
    options: [`--publish=127.0.0.1:${port}:6379`, `--mount=type=bind,source=${data},target=/data`],
    // In its container Redis sees our connections as remote; the port is published to loopback alone.
    command: ['redis-server', '--protected-mode', 'no', ...settings],
  }),
};

/** Signs in as the address says and asks for the version, in Redis' own protocol. */
async function probeRedis(url: URL): Promise<string> {
  const redis = await converse(url, { port: 6379, tls: url.protocol === 'rediss:', within: 8_000 });
  try {
    const [user, password] = [url.username, url.password].map(decodeURIComponent);
    if (password) {
      redis.send(command('AUTH', ...(user ? [user] : []), password));
      const answer = await redis.until(/^(\+OK|-.*)\r\n/);
      if (answer.startsWith('-')) throw new Error('it refused the password');
    }
    redis.send(command('INFO', 'server'));
    const answer = await redis.until(/redis_version:.*\r\n|(^|\n)-.*\r\n/);
    const refusal = /(?:^|\n)-(.*)\r\n/.exec(answer)?.[1];
    if (refusal) throw new Error(refusal);
    return findVersion(/redis_version:(.*)/.exec(answer)?.[1] ?? '') ?? 'unknown';
  } finally {
    redis.close();
  }
}

function command(...words: string[]): string {
  return [`*${words.length}`, ...words.flatMap((word) => [`$${Buffer.byteLength(word)}`, word]), ''].join(
    '\r\n',
  );
}
