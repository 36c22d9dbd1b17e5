import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '@expert-relay/testkit';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
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
  redis = createRedis({ url, name: 'kit-test', whileAway: 'wait', key: 'test', log });
  await redis.start?.();
  expect(redis.notReady?.()).toBeUndefined();

  const back = once(redis.client, 'ready');
  const id = await redis.client.client('ID');
  await redis.client.call('CLIENT', 'KILL', 'ID', id, 'SKIPME', 'no');
  expect(await redis.client.ping()).toBe('PONG');
  await back;
  await eventually('both are logged', () => lines.length > 1);
  expect(lines).toEqual(['Redis is away: reconnecting', 'Redis is back']);
});

test('with `fail`, a pause of this process does not end the connection', async () => {
  redis = createRedis({ url, name: 'kit-test', whileAway: 'fail', key: 'test', log });
  await redis.start?.();
  const connectionId = () => redis.client.client('ID').catch(() => undefined);
  // Another try only if the server was paused too: otherwise the first one succeeds or all fail.
  const survivesTwoPauses = async () => {
    const before = await connectionId();
    for (let pauses = 0; pauses < 2; pauses += 1) {
      const answer = redis.client.echo('answered').catch(() => undefined);
      const until = performance.now() + 2_500;
      while (performance.now() < until);
      if ((await answer) !== 'answered') return false;
    }
    return before !== undefined && (await connectionId()) === before;
  };
  for (let tries = 1; !(await survivesTwoPauses()); tries += 1) {
    expect(tries).toBeLessThan(10);
    await pause(500);
  }
});

/** The server may answer late on a busy machine, so that a command fails. */
async function untilAnswered(): Promise<void> {
  while ((await redis.client.ping().catch(() => undefined)) !== 'PONG') await pause(50);
}

test('with `fail`, a server that does not answer counts as away after about two seconds', async () => {
  const sockets: Socket[] = [];
  const proxy = createServer((socket) => {
    const { hostname, port } = new URL(url);
    const upstream = connect(Number(port), hostname);
    sockets.push(socket, upstream);
    socket.pipe(upstream).pipe(socket);
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const { port } = proxy.address() as AddressInfo;
  redis = createRedis({
    url: `redis://127.0.0.1:${port}`,
    name: 'kit-test',
    whileAway: 'fail',
    key: 'test',
    log,
  });
  await redis.start?.();
  await untilAnswered();
  for (const socket of sockets) socket.unpipe().pause();
  await expect(redis.client.ping()).rejects.toThrow();
  expect(redis.notReady?.()).toBe('Redis does not answer');
  await once(redis.client, 'ready');
  await untilAnswered();
  await redis.stop?.();
  for (const socket of sockets) socket.destroy();
  proxy.close();
});

test('with `fail`, a command that had no connection has failed by an outage, even if it is over when that is asked', async () => {
  redis = createRedis({ url, name: 'kit-test', whileAway: 'fail', key: 'test', log });
  await redis.start?.();
  await untilAnswered();
  const back = once(redis.client, 'ready');
  const inFlight = redis.client.call('CLIENT', 'KILL', 'ID', await redis.client.client('ID'), 'SKIPME', 'no');
  redis.client.stream.destroy();
  const atOnce = redis.client.ping();
  const failed = [inFlight, atOnce].map((command) => command.catch((error: unknown) => error));
  const errors = await Promise.all(failed);
  await back;
  await untilAnswered();
  expect(redis.connected).toBe(true);
  expect(errors).toEqual([expect.any(Error), expect.any(Error)]);
  expect(errors.map((error) => redis.isOutage(error))).toEqual([true, true]);
  expect(redis.isOutage(new TypeError('x is not a function'))).toBe(false);
});

test('starts without a server; with `fail`, a command fails at once', async () => {
  redis = createRedis({ url: 'redis://127.0.0.1:1', name: 'kit-test', whileAway: 'fail', key: 'test', log });
  await redis.start?.();
  expect(redis.connected).toBe(false);
  expect(redis.notReady?.()).toContain('ECONNREFUSED');
  expect(redis.dependency?.away()).toBe(redis.notReady?.());
  await expect(redis.client.ping()).rejects.toThrow();
  await new Promise((resolve) => redis.client.once('reconnecting', resolve));
  expect(lines).toEqual(['Redis is away: reconnecting']);
});

describe('a server that refuses', () => {
  const password = 'test-password';
  const user = `test-${randomUUID()}`;
  let admin: RedisConnection;
  const addressOf = (given: string) => Object.assign(new URL(url), { username: user, password: given }).href;

  beforeEach(async () => {
    admin = createRedis({ url, name: 'kit-test', whileAway: 'wait', key: 'test', log });
    await admin.start?.();
    await admin.client.call('ACL', 'SETUSER', user, 'on', `>${password}`, '~test:mine', '+@all');
  });
  afterEach(async () => {
    await admin.client.call('ACL', 'DELUSER', user);
    await admin.stop?.();
  });
  const open = async (given: string, key: string, whileAway: 'wait' | 'fail' = 'fail') => {
    redis = createRedis({ url: addressOf(given), name: 'kit-test', whileAway, key, isRequired: true, log });
    await redis.start?.();
  };

  test('the password', async () => {
    await open('wrong', 'test:mine');
    expect(redis.acceptance?.()).toEqual({ refused: expect.stringMatching(/^WRONGPASS/) });
    expect(redis.notReady?.()).toMatch(/^WRONGPASS/);
  });

  test.each(['wait', 'fail'] as const)(
    'the keys: it is away until they may be used (%s)',
    async (whileAway) => {
      await open(password, 'test:of-another', whileAway);
      await eventually('the refusal', () => redis.notReady?.());
      expect(redis.connected).toBe(false);
      expect(redis.acceptance?.()).toEqual({ refused: expect.stringMatching(/^NOPERM/) });
      await admin.client.call('ACL', 'SETUSER', user, '~test:of-another');
      await eventually('the keys may be used', () => redis.connected);
      expect(redis.acceptance?.()).toBe('accepted');
      expect(lines).toEqual(['Redis refuses this user the keys of the service', 'Redis is back']);
    },
  );

  test('a process that it had accepted before: it is away', async () => {
    await open(password, 'test:mine');
    expect(redis.connected).toBe(true);
    await admin.client.call('ACL', 'SETUSER', user, 'resetpass', '>another');
    await admin.client.call('CLIENT', 'KILL', 'USER', user);
    await eventually('Redis is away', () => redis.notReady?.()?.startsWith('WRONGPASS'));
    expect(redis.acceptance?.()).toBe('accepted');
  });

  test('without the service being of no use without it: it is only away', async () => {
    redis = createRedis({
      url: addressOf('wrong'),
      name: 'kit-test',
      whileAway: 'wait',
      key: 'test:mine',
      log,
    });
    await redis.start?.();
    expect(redis.acceptance).toBeUndefined();
  });
});
