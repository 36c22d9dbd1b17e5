import { randomBytes } from 'node:crypto';
import { createLog } from '@expert-relay/kit/log';
import { createRedis } from '@expert-relay/kit/redis';
import { redisUsers } from '../../scripts/chart/server-users.ts';
import type { OwnSettings } from './start-services.ts';

const log = createLog('testkit', { level: 'silent' });

/**
 * Creates a user of Redis for each service that uses it, with the permissions of the chart: so every test shows that a service
 * needs no more.
 */
export async function restrictRedis(
  url: string,
  prefix: string,
): Promise<{ own: OwnSettings; remove(): Promise<void> }> {
  const password = randomBytes(16).toString('hex');
  const users = redisUsers(prefix, () => password).map(([, service = '', ...rules]) => ({ service, rules }));
  const own: Record<string, Record<string, string>> = {};
  const names: string[] = [];
  const redis = createRedis({ url, name: 'testkit', whileAway: 'wait', key: 'test', log });
  await redis.start?.();
  for (const { service, rules } of users) {
    if (service === 'default') continue;
    const name = `${prefix}-${service}`;
    await redis.client.call('ACL', 'SETUSER', name, ...rules);
    names.push(name);
    const address = new URL(url);
    Object.assign(address, { username: name, password });
    own[service] = { REDIS_URL: address.href };
  }
  return {
    own,
    async remove() {
      await redis.client.call('ACL', 'DELUSER', ...names);
      await redis.stop?.();
    },
  };
}
