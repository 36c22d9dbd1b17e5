import { type Part, StartupError } from '@expert-relay/kit/lifecycle';
import type { Log } from '@expert-relay/kit/log';
import type { RedisConnection } from '@expert-relay/kit/redis';
import { redisComplaint } from './redis-complaint.ts';

/**
 * Stops the start on a Redis that would lose jobs. One that only comes up later, or comes back with other
 * settings, leaves the worker at work but unready.
 */
export function checkRedis(options: { redis: RedisConnection; log: Log }): Part {
  const { redis, log } = options;
  let complaint: string | undefined;

  async function check(): Promise<void> {
    try {
      complaint = redisComplaint(await redis.client.info());
    } catch (error) {
      log.warn({ reason: (error as Error).message }, 'Redis did not tell its settings');
    }
  }

  const checkAgain = () => void check().then(() => complaint && log.error(complaint));

  return {
    name: 'redis settings',
    async start() {
      if (redis.connected) await check();
      if (complaint) throw new StartupError(complaint);
      redis.client.on('ready', checkAgain);
    },
    notReady: () => complaint,
    async stop() {
      redis.client.off('ready', checkAgain);
    },
  };
}
