import { type Part, StartupError } from '@expert-relay/kit/lifecycle';
import type { Log } from '@expert-relay/kit/log';
import type { RedisConnection } from '@expert-relay/kit/redis';

/**
 * Fails the start when Redis would lose jobs. When the worker connects to such a Redis only later, it continues but is
 * not ready.
 */
export function checkRedis(options: { redis: RedisConnection; log: Log }): Part {
  const { redis, log } = options;
  let problem: string | undefined;

  async function check(): Promise<void> {
    try {
      problem = redisProblem(await redis.client.info());
    } catch (error) {
      log.warn({ reason: (error as Error).message }, 'Redis did not report its settings');
    }
  }

  const checkAgain = () => void check().then(() => problem && log.error(problem));

  return {
    name: 'redis settings',
    async start() {
      if (redis.connected) await check();
      if (problem) throw new StartupError(problem);
      redis.client.on('ready', checkAgain);
    },
    notReady: () => problem,
    async stop() {
      redis.client.off('ready', checkAgain);
    },
  };
}

const minVersion = [6, 2];

/** Why BullMQ cannot use a Redis, from its response to INFO; `undefined` when it can. */
export function redisProblem(info: string): string | undefined {
  const version = field(info, 'redis_version');
  if (version !== undefined && isOlder(version)) {
    return `Redis is version ${version}, the queue needs ${minVersion.join('.')} or newer. Upgrade it, or set another REDIS_URL.`;
  }
  const policy = field(info, 'maxmemory_policy');
  if (policy !== undefined && policy !== 'noeviction') {
    return (
      `Redis evicts keys when its memory is full (maxmemory-policy is ${policy}), and would drop jobs without an error. ` +
      'Set it to noeviction: `redis-cli CONFIG SET maxmemory-policy noeviction`, and in redis.conf so that it stays.'
    );
  }
  return undefined;
}

function field(info: string, name: string): string | undefined {
  return new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1];
}

function isOlder(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [minMajor = 0, minMinor = 0] = minVersion;
  return major < minMajor || (major === minMajor && minor < minMinor);
}
