import { createFakeClock, createTcpProxy } from '@expert-relay/testkit';
import { expect, test } from '@jest/globals';
import { ask } from '../testing/ask.ts';
import { startTestGateway } from '../testing/test-gateway.ts';

const health = (url: string) => ask(url, { path: '/api/health' });

test('is ok while the gateway can reach its dependencies, and 503 otherwise', async () => {
  const clock = createFakeClock();
  const gateway = await startTestGateway({ clock });
  const healthy = await health(gateway.url);
  expect(healthy.status).toBe(200);
  expect(healthy.json).toEqual({
    status: 'ok',
    version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    timestamp: new Date(clock.now()).toISOString(),
  });

  await gateway.upstreams.messages.stop();
  expect((await health(gateway.url)).status).toBe(200);
  clock.advance(1_000);
  const unhealthy = await health(gateway.url);
  expect(unhealthy.status).toBe(503);
  expect(unhealthy.json).toEqual({ ...healthy.json, status: 'unavailable', timestamp: expect.any(String) });
  expect(unhealthy.headers['retry-after']).toBeDefined();
  expect(gateway.lines).toContainEqual(expect.objectContaining({ missing: 'messages' }));

  await gateway.upstreams.messages.start();
  clock.advance(1_000);
  expect((await health(gateway.url)).status).toBe(200);
  await gateway.stop();
});

test('is 503 while Postgres is away', async () => {
  const proxy = await createTcpProxy(process.env.DATABASE_URL ?? '');
  const clock = createFakeClock();
  const gateway = await startTestGateway({ clock, proxy });
  expect((await health(gateway.url)).status).toBe(200);
  await proxy.cut();
  clock.advance(1_000);
  expect((await health(gateway.url)).json.status).toBe('unavailable');
  await proxy.restore();
  clock.advance(1_000);
  expect((await health(gateway.url)).json.status).toBe('ok');
  await gateway.stop();
  await proxy.stop();
});
