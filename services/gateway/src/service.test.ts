import { Agent, request, type ServerResponse } from 'node:http';
import { ConfigError } from '@expert-relay/kit/config';
import { collectGarbage, eventually } from '@expert-relay/testkit';
import { describe, expect, test } from '@jest/globals';
import { readConfig } from './config.ts';
import { create } from './service.ts';
import { ask } from './testing/ask.ts';
import { startTestGateway } from './testing/test-gateway.ts';

describe('a gateway that stops', () => {
  test('finishes its calls, closes connections, and accepts no new ones', async () => {
    const gateway = await startTestGateway({ env: { RELAY_SHUTDOWN_PAUSE: '2s' } });
    const key = (await gateway.makeKey('consumer')).text;
    const agent = new Agent({ keepAlive: true });
    const calls: ServerResponse[] = [];
    gateway.upstreams.messages.handler = (_request, response) => void calls.push(response);
    const running = ask(gateway.url, { path: '/api/v1/messages/abc', headers: { 'x-api-key': key }, agent });
    await eventually('the call arrives', () => calls.length === 1);

    const { url } = gateway;
    const stopping = gateway.service.stop();
    const during = await ask(url, { path: '/dashboard', agent });
    expect([during.status, during.headers.connection]).toEqual([200, 'close']);
    expect((await fetch(`${gateway.service.opsUrl}/readyz`)).status).toBe(503);
    calls[0]?.end('late');
    expect(await running).toMatchObject({ status: 200, body: 'late' });
    await stopping;
    await expect(ask(url)).rejects.toThrow('ECONNREFUSED');
    agent.destroy();
    await gateway.stop();
  });

  test('leaves no connection to its upstreams', async () => {
    const gateway = await startTestGateway();
    await ask(gateway.url, { path: '/dashboard' });
    expect(gateway.upstreams.dashboard.sockets.size).toBe(1);
    await gateway.service.stop();
    await eventually('they are closed', () => gateway.upstreams.dashboard.sockets.size === 0);
    await gateway.stop();
  });
});

test('is ready without NATS and without a service, which may return later', async () => {
  const gateway = await startTestGateway({ env: { NATS_URL: 'nats://127.0.0.1:9' } });
  await gateway.upstreams.dashboard.stop();
  expect((await fetch(`${gateway.service.opsUrl}/readyz`)).status).toBe(200);
  expect((await ask(gateway.url, { path: '/dashboard' })).status).toBe(503);
  await gateway.upstreams.dashboard.start();
  expect((await ask(gateway.url, { path: '/dashboard' })).status).toBe(200);
  await gateway.stop();
});

function heldMemory(): number {
  collectGarbage();
  return process.memoryUsage().arrayBuffers;
}

test('the memory of a body is released after its call', async () => {
  const gateway = await startTestGateway();
  const key = (await gateway.makeKey('consumer')).text;
  const send = () =>
    new Promise<void>((resolve, reject) => {
      const call = request(`${gateway.url}/api/v1/message/abc`, {
        method: 'POST',
        headers: { 'x-api-key': key },
      });
      call.once('response', (response) => response.resume().once('end', resolve)).once('error', reject);
      call.end(Buffer.alloc(1_000_000));
    });
  for (let i = 0; i < 20; i++) await send();
  gateway.upstreams.messages.calls.length = 0;
  const before = heldMemory();
  for (let i = 0; i < 100; i++) {
    await send();
    gateway.upstreams.messages.calls.length = 0;
  }
  // V8 frees some of the buffers only after the collection.
  await eventually('the bodies are released', () => heldMemory() - before < 20_000_000);
  await gateway.stop();
});

describe('settings', () => {
  const env = {
    DATABASE_URL: 'postgres://localhost/relay',
    NATS_URL: 'nats://localhost',
    RELAY_REQUESTS_URL: 'http://localhost:8081',
    RELAY_MESSAGES_URL: 'http://localhost:8082',
    RELAY_DASHBOARD_URL: 'http://localhost:8083',
    RELAY_NOTIFIER_URL: 'http://localhost:8085',
    RELAY_PRINCIPAL_KEY_GATEWAY_REQUESTS: `a:${'A'.repeat(43)}`,
    RELAY_PRINCIPAL_KEY_GATEWAY_MESSAGES: `a:${'A'.repeat(43)}`,
    RELAY_PRINCIPAL_KEY_GATEWAY_DASHBOARD: `a:${'A'.repeat(43)}`,
    RELAY_PRINCIPAL_KEY_GATEWAY_NOTIFIER: `a:${'A'.repeat(43)}`,
  };

  test('the default limits are those of the contract', () => {
    expect(readConfig(env).rateLimits).toEqual({ pages: 60, api: 30, poll: 20, key: 0 });
    expect(readConfig(env)).toMatchObject({ trustedProxies: [], corsOrigins: [] });
  });

  test.each([
    ['RELAY_RATE_LIMIT_API', '-1'],
    ['RELAY_RATE_LIMIT_POLL', 'many'],
    ['RELAY_TRUSTED_PROXIES', 'proxy.example'],
    ['RELAY_CORS_ORIGINS', '*'],
    ['RELAY_REQUESTS_URL', 'localhost:8081'],
  ])('%s = %s is refused with a sentence', (name, value) => {
    expect(() => readConfig({ ...env, [name]: value })).toThrow(new RegExp(`^${name} is .*It must be`, 's'));
  });

  test('a proxy that only looks like an address is refused', () => {
    const config = readConfig({ ...env, RELAY_TRUSTED_PROXIES: '10.0.0.0/99' });
    expect(() => create(config)).toThrow(ConfigError);
  });
});
