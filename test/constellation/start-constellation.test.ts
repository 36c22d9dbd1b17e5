import { createServer, type Server } from 'node:http';
import { createFakeClock, submit, testServers } from '@expert-relay/testkit';
import { afterEach, describe, expect, test } from '@jest/globals';
import { type Constellation, startConstellation } from './start-constellation.ts';

let relay: Constellation | undefined;

afterEach(async () => {
  await relay?.stop();
  relay = undefined;
});

describe('a constellation', () => {
  test('is ready, takes a submit of a tenant, and keeps its logs', async () => {
    relay = await startConstellation();
    const { consumerKey } = await relay.makeTenant();
    expect((await submit(relay.gatewayUrl, consumerKey)).status).toBe(201);
    const calls = relay.logs.filter(({ msg, route }) => msg === 'call' && route === '/api/v1/help');
    expect(calls.map(({ service }) => service).sort()).toEqual(['gateway', 'requests']);
  });

  test('takes well under a second to start once the template is there', async () => {
    // What this process spends: how long that takes by the clock is also up to what else the machine does.
    const before = process.cpuUsage();
    relay = await startConstellation();
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1_000).toBeLessThan(3_000);
  });

  test('gives every service the settings and the clock of the test', async () => {
    // A principal lives 30 s: two services with different ideas of the time would refuse each other.
    const clock = createFakeClock(Date.UTC(2031, 0, 1));
    relay = await startConstellation({ clock, env: { RELAY_RATE_LIMIT_API: '1' } });
    const { consumerKey } = await relay.makeTenant();
    expect((await submit(relay.gatewayUrl, consumerKey)).status).toBe(201);
    expect((await submit(relay.gatewayUrl, consumerKey)).status).toBe(429);
  });

  test('refuses a bad setting with the service’s own sentence, and leaves nothing behind', async () => {
    await expect(startConstellation({ env: { RELAY_CONVERSATION_TTL: 'soon' } })).rejects.toThrow(
      'RELAY_CONVERSATION_TTL is "soon".',
    );
  });
});

test('stopping names what somebody left open', async () => {
  const constellation = await startConstellation();
  const forgotten: Server = createServer();
  await new Promise<void>((resolve) => forgotten.listen(0, '127.0.0.1', resolve));
  await expect(constellation.stop()).rejects.toThrow(/1 TCPServerWrap/);
  forgotten.close();
});

test('servers that are not named are asked for in one sentence', () => {
  expect(() => testServers({ REDIS_URL: 'redis://127.0.0.1:6379' })).toThrow(
    'DATABASE_URL and NATS_URL are not set. Run them with `npm test',
  );
});
