import type { ServerResponse } from 'node:http';
import { eventually, openRaw, type RawConnection, usedMemory } from '@expert-relay/testkit';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { routes } from '../routes/index.ts';
import { openUnread } from '../testing/open-unread.ts';
import { startTestGateway, type TestGateway } from '../testing/test-gateway.ts';

/* What a client without a key can make the gateway hold: on all routes, with all methods and forms of bodies. */

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());

const connections: RawConnection[] = [];
afterEach(() => {
  for (const { socket } of connections.splice(0)) socket.destroy();
  for (const upstream of Object.values(gateway.upstreams)) upstream.handler = undefined;
});

async function send(bytes: string, from: string): Promise<RawConnection> {
  const connection = await openRaw(gateway.url, from);
  connections.push(connection);
  connection.send(bytes);
  return connection;
}

const paths = [
  ...new Set(routes.map(({ path }) => path.replace(/:\w+/g, 'abc').replace('*', 'x'))),
  '/nowhere',
];
/** A POST that anybody may send, and a file that anybody may get. */
const open = { post: '/auth/dev', asset: '/dashboard/assets/index.js' };
const head = (method: string, path: string, ...headers: string[]) =>
  `${[`${method} ${path} HTTP/1.1`, 'Host: x', ...headers].join('\r\n')}\r\n\r\n`;
const megabyte = 'a'.repeat(1_000_000);

describe('without a body that is complete, these are answered, and nothing of it is held or forwarded:', () => {
  const half = megabyte.slice(0, 100_000);
  const forms = {
    'a body with a length': (method: string, path: string) =>
      head(method, path, `Content-Length: ${megabyte.length}`) + half,
    'a chunked body': (method: string, path: string) =>
      `${head(method, path, 'Transfer-Encoding: chunked')}${half.length.toString(16)}\r\n${half}\r\n`,
  };
  test.each(['GET', 'HEAD', 'OPTIONS', 'PATCH', 'DELETE /nowhere', 'POST /nowhere'])('%s', async (row) => {
    const [method = '', only] = row.split(' ');
    const callsBefore = countCalls();
    const sent = await Promise.all(
      (only ? [only] : paths).flatMap((path, index) =>
        Object.values(forms).map((form) => send(form(method, path), `127.0.1.${index + 1}`)),
      ),
    );
    for (const connection of sent) {
      expect(await connection.responses(1)).toMatch(
        method === 'OPTIONS' ? /^HTTP\/1\.1 (204|404) / : /^HTTP\/1\.1 40[045] /,
      );
    }
    expect(await gateway.metric('relay_gateway_buffered_bytes')).toBe(0);
    expect(countCalls()).toBe(callsBefore);
  });

  const countCalls = () => Object.values(gateway.upstreams).reduce((sum, { calls }) => sum + calls.length, 0);
});

test('GET and HEAD are served with an empty body', async () => {
  for (const method of ['GET', 'HEAD']) {
    const connection = await send(head(method, open.asset, 'Content-Length: 0'), '127.0.0.2');
    expect(await connection.responses(1)).toMatch(/^HTTP\/1\.1 200 /);
  }
});

test('a body is released when its service begins to respond, even if the response is not read', async () => {
  const { dashboard } = gateway.upstreams;
  let respond: (() => void) | undefined;
  dashboard.handler = (request, response) => {
    respond = () => void request.resume().once('end', () => response.writeHead(200).write('begins'));
  };
  const connection = await send(head('POST', open.post, 'Content-Length: 1000000') + megabyte, '127.0.0.2');
  await eventually(
    'the body is held',
    async () => (await gateway.metric('relay_gateway_buffered_bytes')) >= 1_000_000,
  );
  const begin = await eventually('the service has the call', () => respond);
  begin();
  await eventually(
    'it is released',
    async () => (await gateway.metric('relay_gateway_buffered_bytes')) === 0,
  );
  expect(connection.socket.destroyed).toBe(false);
});

test('a connection that waits for its next request holds nothing of the last one', async () => {
  gateway.upstreams.dashboard.handler = (request, response) =>
    void request.resume().once('end', () => response.writeHead(200, { 'content-length': 0 }).end());
  const before = usedMemory();
  for (let index = 0; index < 40; index++) {
    const connection = await send(head('POST', open.post, 'Content-Length: 1000000') + megabyte, '127.0.0.2');
    await connection.responses(1);
  }
  await eventually('40 MB are free', () => usedMemory() - before < 20_000_000);
  expect(connections.filter(({ socket }) => socket.destroyed)).toEqual([]);
});

describe('responses that are not read', () => {
  const bufferedBytes = () => gateway.metric('relay_gateway_buffered_bytes');

  /** Sets what the service responds. Returns what counts its responses that have not ended. */
  function respondWith(send: (response: ServerResponse) => void): () => number {
    let count = 0;
    gateway.upstreams.dashboard.handler = (request, response) => {
      count++;
      response.once('close', () => count--);
      request.resume();
      send(response);
    };
    return () => count;
  }

  test('occupy no connection to a service', async () => {
    const underWay = respondWith((response) => {
      response.writeHead(200, { 'content-length': megabyte.length }).end(megabyte);
    });
    for (const from of ['127.0.0.2', '127.0.0.3', '127.0.0.4']) {
      connections.push(
        (await openUnread(gateway, { from, path: open.asset, route: '/dashboard/assets/*' })).connection,
      );
    }
    expect(await bufferedBytes()).toBeGreaterThan(1_500_000);
    await eventually('all were received from the service', () => underWay() === 0);
  });

  test('that are longer leave connections to a service', async () => {
    const underWay = respondWith((response) => {
      response.on('error', () => {});
      const write = () => {
        while (response.writable && response.write(megabyte));
      };
      response.writeHead(200).on('drain', write);
      write();
    });
    for (let count = 0; count < 80; count++) {
      const connection = await send(head('GET', open.asset), `127.0.2.${count + 1}`);
      connection.socket.pause();
    }
    const most = 64;
    await eventually('the oldest were disconnected', () => underWay() > 0 && underWay() <= most);
    expect(await bufferedBytes()).toBeLessThanOrEqual(most * 1_048_576);
    gateway.upstreams.dashboard.handler = undefined;
    const next = await send(head('GET', open.asset), '127.0.0.9');
    expect(await next.responses(1)).toMatch(/^HTTP\/1\.1 200 /);
  });

  test('of the gateway itself are counted too', async () => {
    const { connection } = await openUnread(gateway, { from: '127.0.0.2', path: '/api/openapi.json' });
    connections.push(connection);
    expect(await bufferedBytes()).toBeGreaterThan(0);
  });
});
