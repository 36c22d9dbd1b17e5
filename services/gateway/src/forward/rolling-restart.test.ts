import { Agent, type RequestListener } from 'node:http';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { createHttpServer, type HttpServer } from '@expert-relay/kit/http';
import { expect, test } from '@jest/globals';
import { ask } from '../testing/ask.ts';
import { startTestGateway } from '../testing/test-gateway.ts';

/** Passes new connections to the ready instances in turn, like a Service of Kubernetes. */
async function createBalancer() {
  const ready: HttpServer[] = [];
  const sockets = new Set<Socket>();
  let turn = 0;
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const target = new URL(ready[turn++ % ready.length]?.url ?? '');
    const instance = connect({ port: Number(target.port), host: target.hostname, allowHalfOpen: true });
    for (const socket of [client, instance]) {
      sockets.add(socket);
      socket.on('error', () => {
        client.destroy();
        instance.destroy();
      });
    }
    client.pipe(instance).pipe(client);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    ready,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

test('no call fails while two instances of a service are restarted in turn under load', async () => {
  const handled = new Map<string, number>();
  const handler: RequestListener = async (request, response) => {
    const id = String(request.headers['x-request-id']);
    handled.set(id, (handled.get(id) ?? 0) + 1);
    request.resume();
    await pause(Math.random() * 5);
    response.end('done');
  };
  const startInstance = async () => {
    const instance = createHttpServer({ handler, host: '127.0.0.1', port: 0 });
    await instance.start?.();
    return instance;
  };
  const balancer = await createBalancer();
  balancer.ready.push(await startInstance(), await startInstance());
  const gateway = await startTestGateway({ env: { RELAY_MESSAGES_URL: balancer.url } });
  const key = (await gateway.makeKey('consumer')).text;

  const agent = new Agent({ keepAlive: true, maxSockets: 16 });
  const statuses: number[] = [];
  let isOver = false;
  const callers = Array.from({ length: 16 }, async () => {
    while (!isOver) {
      const headers = { 'x-api-key': key };
      const call = { method: 'POST', path: '/api/v1/message/abc', headers, body: 'a message', agent };
      statuses.push((await ask(gateway.url, call)).status);
    }
  });
  for (let restarts = 0; restarts < 6; restarts++) {
    const answered = statuses.length + 100;
    while (statuses.length < answered) await pause(5);
    const stopping = balancer.ready.shift();
    stopping?.drain?.();
    await pause(20);
    // Connections that the balancer opened before are accepted, also after a pause of the process.
    for (let turn = 0; turn < 10; turn++) await nextTurn();
    await stopping?.stop?.();
    balancer.ready.push(await startInstance());
  }
  isOver = true;
  await Promise.all(callers);

  expect(statuses.length).toBeGreaterThan(600);
  expect(new Set(statuses)).toEqual(new Set([200]));
  expect(handled.size).toBe(statuses.length);

  agent.destroy();
  await gateway.stop();
  await Promise.all(balancer.ready.map((instance) => instance.stop?.()));
  await balancer.stop();
});
