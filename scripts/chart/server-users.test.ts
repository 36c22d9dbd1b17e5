import { randomBytes } from 'node:crypto';
import { startConstellation } from '@expert-relay/constellation';
import { createLog } from '@expert-relay/kit/log';
import { createRedis } from '@expert-relay/kit/redis';
import { eventually, signInDev, submit, untilAvailable } from '@expert-relay/testkit';
import { expect, test } from '@jest/globals';
import { redis } from '../servers/redis.ts';
import { startOwnServer } from '../servers/testing/start-own-server.ts';
import { redisUsers } from './server-users.ts';

const password = 'for-this-test';
const urlOf = (user: string, port: number) => `redis://${user}:${password}@127.0.0.1:${port}`;

const startRedis = (prefix: string) =>
  startOwnServer({
    ...redis,
    url: ({ port }) => urlOf('admin', port),
    runProgram(place, program) {
      const launch = redis.runProgram(place, program);
      const admin = ['--user', 'admin', 'on', `>${password}`, '~*', '&*', '+@all'];
      return { ...launch, args: [...launch.args, ...admin, ...redisUsers(prefix, () => password).flat()] };
    },
  });

/* Redis replays its append-only file as the user `default`. */
test('what transactions have written is there after a restart of Redis', async () => {
  const prefix = `restarted_${randomBytes(4).toString('hex')}`;
  const server = await startRedis(prefix);
  const log = createLog('test', { level: 'silent' });
  const url = urlOf('dashboard', Number(new URL(server.url).port));
  const user = createRedis({ url, name: 'test', whileAway: 'wait', key: `${prefix}:session`, log });
  try {
    await user.start?.();
    // Two commands: Redis writes a transaction of one command to its file without MULTI and EXEC.
    await user.client.multi().set(`${prefix}:session:a`, '1').set(`${prefix}:session:b`, '2').exec();
    await server.kill();
    await server.start();
    expect(await user.client.mget(`${prefix}:session:a`, `${prefix}:session:b`)).toEqual(['1', '2']);
  } finally {
    await user.stop?.();
    await server.stop();
  }
});

/* NATS's users are tried in scripts/servers/nats-permissions.test.ts. */
test('the services need no more in Redis than the chart lets them do', async () => {
  const prefix = `permitted_${randomBytes(4).toString('hex')}`;
  const server = await startRedis(prefix);
  const port = Number(new URL(server.url).port);
  const relay = await startConstellation({
    prefix,
    servers: { redisUrl: server.url },
    env: { RELAY_CONVERSATION_TTL: '2s' },
    own: {
      dashboard: { REDIS_URL: urlOf('dashboard', port) },
      'expiry-worker': { REDIS_URL: urlOf('expiry-worker', port) },
    },
  });
  const log = createLog('test', { level: 'silent' });
  const open = async (url: string) => {
    const connection = createRedis({ url, name: 'test', whileAway: 'wait', key: `${prefix}:session`, log });
    await connection.start?.();
    return connection;
  };
  const [administrator, user] = [await open(server.url), await open(urlOf('dashboard', port))];
  const [admin, dashboard] = [administrator.client, user.client];
  try {
    // A session is made, used and ended; a conversation gets a delayed job, which ends it.
    const { gatewayUrl } = relay;
    const headers = { 'content-type': 'application/json', origin: gatewayUrl };
    const cookie = await signInDev(gatewayUrl, 'ada');
    const callWith = (path: string, method: string) =>
      untilAvailable(() => fetch(`${gatewayUrl}${path}`, { method, headers: { ...headers, cookie } }));
    expect((await callWith('/api/me', 'GET')).status).toBe(200);
    expect((await callWith('/logout', 'POST')).ok).toBe(true);
    expect((await callWith('/api/me', 'GET')).status).toBe(401);

    const { consumerKey } = await relay.makeTenant();
    const { body: asked } = await submit(gatewayUrl, consumerKey);
    await eventually('the conversation to expire', async () => {
      const poll = await fetch(`${gatewayUrl}/api/v1/help/${asked.requestId}`);
      return ((await poll.json()) as { status: string }).status === 'expired';
    });
    const { opsUrl } = relay.services['expiry-worker'];
    await eventually('the worker to end it', async () =>
      /^relay_expiry_requests_ended_total\S* [1-9]/m.test(await (await fetch(`${opsUrl}/metrics`)).text()),
    );
    expect(await admin.call('ACL', 'LOG')).toEqual([]);

    // What is refused would be seen there.
    await expect(dashboard.get(`${prefix}:expiry:meta`)).rejects.toThrow(/NOPERM|No permissions/);
    await expect(dashboard.flushall()).rejects.toThrow(/NOPERM|no permissions/);
    expect(await admin.call('ACL', 'LOG')).not.toEqual([]);
  } finally {
    await administrator.stop?.();
    await user.stop?.();
    await relay.stop();
    await server.stop();
  }
});
