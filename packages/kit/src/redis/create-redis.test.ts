import { once } from 'node:events';
import { afterEach, expect, test } from '@jest/globals';
import { createLog } from '../log/index.ts';
import { createRedis, type RedisConnection } from './create-redis.ts';

const { REDIS_URL: url = '' } = process.env;
let redis: RedisConnection;
const lines: string[] = [];
const log = createLog('test', {
  level: 'debug',
  destination: { write: (line) => void lines.push(JSON.parse(line).msg) },
});

afterEach(async () => {
  await redis.stop?.();
  lines.length = 0;
});

test('reconnects when its connection was closed, and logs it', async () => {
  redis = createRedis({ url, name: 'kit-test', whileAway: 'wait', log });
  await redis.start?.();
  expect(redis.notReady?.()).toBeUndefined();

  const back = once(redis.client, 'ready');
  const id = await redis.client.client('ID');
  await redis.client.call('CLIENT', 'KILL', 'ID', id, 'SKIPME', 'no');
  expect(await redis.client.ping()).toBe('PONG');
  await back;
  expect(lines).toEqual(['Redis is away: reconnecting', 'Redis is back']);
});

test('starts without a server; with `fail`, a command fails at once', async () => {
  redis = createRedis({ url: 'redis://127.0.0.1:1', name: 'kit-test', whileAway: 'fail', log });
  await redis.start?.();
  expect(redis.connected).toBe(false);
  expect(redis.notReady?.()).toContain('ECONNREFUSED');
  expect(redis.dependency?.away()).toBe(redis.notReady?.());
  await expect(redis.client.ping()).rejects.toThrow();
  await new Promise((resolve) => redis.client.once('reconnecting', resolve));
  expect(lines).toEqual(['Redis is away: reconnecting']);
});
