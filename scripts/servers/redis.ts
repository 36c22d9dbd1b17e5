import { findVersion } from './find-program.ts';
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
  debian: 'redis-server',
  homebrew: 'redis',
  stopSignal: 'SIGTERM',
  probe: probeRedis,
  // While it reads its data, the answer is `-LOADING`.
  greeting: { ask: 'PING\r\n', ready: /^\+PONG/ },
  url: ({ port }) => `redis://127.0.0.1:${port}`,

  runProgram({ data, port }, { path }) {
    // The data folder is the working directory, so that no path, however odd, has to be quoted.
    const listen = ['--bind', '127.0.0.1', '--port', String(port), '--daemonize', 'no'];
    return { command: path, args: [...listen, ...settings], cwd: data };
  },

  container: {
    image: 'redis:7-alpine',
    port: 6379,
    dataFolder: '/data',
    // In its container Redis sees our connections as remote; the port is published only to loopback.
    command: () => ['redis-server', '--protected-mode', 'no', ...settings],
  },
};

/** Signs in as the address says and asks for the version. */
async function probeRedis(url: URL): Promise<string> {
  const { Redis } = await import('ioredis');
  const client = new Redis(url.href, {
    lazyConnect: true,
    connectTimeout: 8_000,
    commandTimeout: 8_000,
    disconnectTimeout: 200,
    retryStrategy: () => null,
    // The first command is ours, also for a Redis that is too old for others.
    protocol: 2,
    disableClientInfo: true,
    enableReadyCheck: false,
  });
  // Says more than the rejection of `connect`, which is that the connection was closed.
  let failure: Error | undefined;
  client.on('error', (error) => {
    failure ??= error;
  });
  try {
    await client.connect();
    const info = await client.info('server');
    return findVersion(/redis_version:(.*)/.exec(info)?.[1] ?? '') ?? 'unknown';
  } catch (error) {
    throw failure ?? error;
  } finally {
    client.disconnect();
  }
}
