import { createServer, type Server } from 'node:http';
import { createFakeClock, submit, testServers } from '@expert-relay/testkit';
import { afterEach, describe, expect, test } from '@jest/globals';
import { type Constellation, startConstellation } from './start-constellation.ts';

let relay: Constellation | undefined;

afterEach(async () => {
  await relay?.stop();
  relay = undefined;
});

describe('startConstellation', () => {
  test('starts all services: a submit is accepted, and the logs are kept', async () => {
    relay = await startConstellation();
    const { consumerKey } = await relay.makeTenant();
    expect((await submit(relay.gatewayUrl, consumerKey)).status).toBe(201);
    const calls = relay.logs.filter(({ msg, route }) => msg === 'call' && route === '/api/v1/help');
    expect(calls.map(({ service }) => service).sort()).toEqual(['gateway', 'requests']);
  });

  test('starts in less than 3 s of CPU time when the database template exists', async () => {
    // CPU time of this process: elapsed time also depends on what else the machine does.
    const before = process.cpuUsage();
    relay = await startConstellation();
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1_000).toBeLessThan(3_000);
  });

  test('all services have the settings and the clock of the test', async () => {
    // A principal is valid for 30 s, so services with different clocks would refuse each other's calls.
    const clock = createFakeClock(Date.UTC(2031, 0, 1));
    relay = await startConstellation({ clock, env: { RELAY_RATE_LIMIT_API: '1' } });
    const { consumerKey } = await relay.makeTenant();
    expect((await submit(relay.gatewayUrl, consumerKey)).status).toBe(201);
    expect((await submit(relay.gatewayUrl, consumerKey)).status).toBe(429);
  });

  test('an invalid setting: rejects with the message of the service, and leaves nothing open', async () => {
    await expect(startConstellation({ env: { RELAY_CONVERSATION_TTL: 'soon' } })).rejects.toThrow(
      'RELAY_CONVERSATION_TTL is "soon".',
    );
  });
});

test('stop() reports handles that are still open', async () => {
  const constellation = await startConstellation();
  const forgotten: Server = createServer();
  await new Promise<void>((resolve) => forgotten.listen(0, '127.0.0.1', resolve));
  await expect(constellation.stop()).rejects.toThrow(/1 TCPServerWrap/);
  forgotten.close();
});

test('testServers: an error names the variables that are not set', () => {
  expect(() => testServers({ REDIS_URL: 'redis://127.0.0.1:6379' })).toThrow(
    'DATABASE_URL and NATS_URL are not set. Run them with `npm test',
  );
});
