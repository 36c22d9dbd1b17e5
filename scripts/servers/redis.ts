import { probeRedis } from './probe-redis.ts';
import type { ServerKind } from './server-kind.ts';

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
    // Inside its container it sees the launcher as a stranger; the port is published to loopback alone.
    command: ['redis-server', '--protected-mode', 'no', ...settings],
  }),
};
