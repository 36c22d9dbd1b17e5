import { once } from 'node:events';
import { createServer, IncomingMessage, ServerResponse } from 'node:http';
import { connect, Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createHttpServer, type HttpServer, listen } from './create-http-server.ts';
import { guardConnections } from './guard-connections.ts';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

let server: HttpServer;
let handler: Handler;
let handled: string[];
const sockets: Socket[] = [];

beforeEach(async () => {
  handled = [];
  handler = (_request, response) => response.end('done');
  server = createHttpServer({
    handler: (request, response) => {
      handled.push(request.url ?? '');
      handler(request, response);
    },
    host: '127.0.0.1',
    port: 0,
    refusalHeaders: { 'x-own': 'yes' },
  });
  await server.start?.();
});

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await server.stop?.();
});

async function open(): Promise<{ socket: Socket; received: () => string }> {
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  let text = '';
  socket.setEncoding('latin1').on('data', (piece) => {
    text += piece;
  });
  socket.on('error', () => {});
  sockets.push(socket);
  await once(socket, 'connect');
  return { socket, received: () => text };
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await pause(5);
}

const get = (path: string, ...headers: string[]) =>
  `${[`GET ${path} HTTP/1.1`, ...headers].join('\r\n')}\r\n\r\n`;
const post = (path: string, body: string) =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

describe('pipelined requests', () => {
  test('are handled one after the other, with their bodies: one waits until the response before it has ended', async () => {
    const bodies: string[] = [];
    let running = 0;
    handler = async (request, response) => {
      expect(++running).toBe(1);
      let body = '';
      for await (const piece of request) body += piece;
      bodies.push(body);
      await pause(5);
      running--;
      response.end(request.url);
    };
    const { socket, received } = await open();
    const large = 'b'.repeat(300_000);
    socket.write(get('/1') + post('/2', large));
    await until(() => received().endsWith('/2'));
    socket.write(post('/3', 'three') + get('/4'));
    await until(() => received().endsWith('/4'));
    expect(handled).toEqual(['/1', '/2', '/3', '/4']);
    expect(bodies).toEqual(['', large, 'three', '']);
  });

  test('a client that has all bytes of a response may send its next request before that response has ended', async () => {
    const responses: ServerResponse[] = [];
    handler = (_request, response) => {
      responses.push(response);
      response.writeHead(200, { 'content-length': 5 }).write('whole');
    };
    const { socket, received } = await open();
    for (let count = 1; count <= 3; count++) {
      socket.write(get(`/${count}`));
      // It arrives while the response before it has not ended.
      await pause(20);
      if (count > 1) responses[count - 2]?.end();
      await until(() => received().split('whole').length === count + 1);
    }
    expect(handled).toEqual(['/1', '/2', '/3']);
  });

  test.each([
    ['in the same packet', false],
    ['later', true],
  ])('the third is refused after the responses to the others, and not handled: %s', async (_, isLater) => {
    let end = () => {};
    handler = (_request, response) => {
      if (handled.length > 1) response.end('second');
      else {
        response.writeHead(200, { 'content-length': 10 }).write('first');
        end = () => response.end('ended');
      }
    };
    const { socket, received } = await open();
    const others = get('/2') + get('/3') + get('/4');
    socket.write(isLater ? get('/1') : get('/1') + others);
    await until(() => received().includes('first'));
    if (isLater) socket.write(others);
    await pause(50);
    end();
    await once(socket, 'close');
    expect(handled).toEqual(['/1', '/2']);
    expect(received().match(/HTTP\/1\.1 /g)).toHaveLength(3);
    expect(received()).toMatch(
      /^HTTP\/1\.1 200 .*firstended.*second.*HTTP\/1\.1 429 .*connection: close.*"error":"too_many_at_once"/s,
    );
  });

  test('cost no objects', async () => {
    let requests = 0;
    const plain = createServer({ requireHostHeader: false });
    guardConnections(plain, (request, response) => {
      handled.push(request.url ?? '');
      setImmediate(() => response.end(request.url));
    });
    plain.on('request', () => requests++);
    const socket = connect(Number(new URL(await listen(plain, '127.0.0.1', 0)).port), '127.0.0.1');
    sockets.push(socket);
    socket.on('error', () => {}).resume();
    // One read of the server has all of them.
    socket.write(get('/a').repeat(2_000));
    await once(socket, 'close');
    plain.close();
    expect(handled).toHaveLength(2);
    expect(requests).toBe(3);
  });

  test('are not handled after a response that closes the connection', async () => {
    handler = (_request, response) => response.setHeader('connection', 'close').end('bye');
    const { socket, received } = await open();
    socket.write(get('/1') + get('/2') + get('/3'));
    await once(socket, 'close');
    expect(handled).toEqual(['/1']);
    expect(received().match(/HTTP\/1\.1 /g)).toHaveLength(1);
  });

  const upgrade = ['Host: x', 'Connection: keep-alive, Upgrade', 'Upgrade: websocket'];
  const oldChunks =
    'POST /1 HTTP/1.0\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n';
  const lasts: [string, string][] = [
    ['an Upgrade', get('/1', ...upgrade)],
    ['an Upgrade with a body', get('/1', ...upgrade, 'Content-Length: 2').replace(/$/, 'ab')],
    [
      '1,000 headers, with an Upgrade that Node does not keep',
      get('/1', ...Array<string>(1_000).fill('a: b'), ...upgrade),
    ],
    ['chunks in HTTP/1.0', oldChunks],
  ];
  const nexts: [string, string, string][] = [
    ['nothing', '', ''],
    ['a request', get('/2'), ''],
    ['half of a request', get('/2', 'Host: x').slice(0, 20), get('/2', 'Host: x').slice(20)],
    ['half of a request whose rest is another one', 'POST /2 HTTP/1.1\r\nContent-Length: 100\r\n', get('/3')],
    ['garbage', 'nonsense\r\n\r\n', 'more\r\n\r\n'],
  ];
  test.each(lasts.flatMap((last) => nexts.map((next) => [last[0], next[0], last[1], next[1], next[2]])))(
    'behind %s, after which Node may lose bytes, are not handled: %s',
    async (_last, _next, first, second, third) => {
      let respond = () => {};
      handler = (_request, response) => {
        respond = () => response.setHeader('content-length', 4).end('done');
      };
      const { socket, received } = await open();
      socket.write(first + second);
      // Since 22, Node refuses 1,000 headers itself.
      const isRefused = () => received().startsWith('HTTP/1.1 431 ');
      await until(() => handled.length === 1 || isRefused());
      socket.write(third);
      await pause(20);
      respond();
      await until(() => received().includes('done') || isRefused());
      expect(received()).toMatch(/^connection: close\r$/im);
      await until(() => socket.destroyed);
      expect(handled).toEqual(isRefused() ? [] : ['/1']);
      expect(received().match(/HTTP\/1\.1 /g)).toHaveLength(1);
    },
  );

  test('are not handled when Node parses them after the connection broke', () => {
    const broken = new Socket();
    broken.destroy();
    const request = new IncomingMessage(broken);
    const plain = createServer();
    guardConnections(plain, () => handled.push('late'));
    plain.emit('request', request, new ServerResponse(request));
    expect(handled).toEqual([]);
  });

  test('are dropped when the connection breaks', async () => {
    handler = (_request, response) => {
      const writing = setInterval(() => response.write('started'), 5);
      response.once('close', () => clearInterval(writing));
    };
    const { socket, received } = await open();
    socket.write(get('/1') + get('/2') + get('/3'));
    await until(() => received().includes('started'));
    socket.resetAndDestroy();
    await server.stop?.();
    expect(handled).toEqual(['/1']);
  });
});

describe('bytes that Node cannot read behind a request that is under way', () => {
  /**
   * Sends `bytes`. The response to the first request begins at once. It ends when Node has reported that it cannot read the
   * rest, and the server has received `later` too. Returns all responses.
   */
  async function responsesTo(
    bytes: string,
    later = '',
    headers: Record<string, string> = {},
  ): Promise<string> {
    const plain = createServer({ requireHostHeader: false, connectionsCheckingInterval: 20 });
    [plain.headersTimeout, plain.requestTimeout] = [100, 100];
    let first: ServerResponse | undefined;
    guardConnections(plain, (request, response) => {
      handled.push(request.url ?? '');
      if (first) response.end(request.url);
      else {
        first = response.writeHead(200, { ...headers, 'content-length': 10 });
        first.write('started');
      }
    });
    let errors = 0;
    plain.on('clientError', () => errors++);
    const socket = connect(Number(new URL(await listen(plain, '127.0.0.1', 0)).port), '127.0.0.1');
    sockets.push(socket);
    let received = '';
    socket.setEncoding('latin1').on('data', (piece) => {
      received += piece;
    });
    socket.write(bytes);
    await until(() => errors > 0);
    socket.write(later);
    await until(() => first?.socket?.bytesRead === bytes.length + later.length);
    first?.end('ended');
    await once(socket, 'close');
    plain.close();
    return received;
  }
  const statuses = (text: string) => [...text.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => status);

  test.each([
    ['a malformed head', 'nonsense\r\n\r\n'],
    ['a malformed body', 'POST /3 HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n'],
  ])('is refused after the responses before it: %s', async (_, bytes) => {
    const text = await responsesTo(get('/1') + bytes);
    expect(handled).toEqual(['/1']);
    expect(statuses(text)).toEqual(['200', '400']);
    expect(text).toMatch(/startedended.*"error":"invalid_request"/s);
  });

  test('is refused after the response to a request that waited', async () => {
    const text = await responsesTo(`${get('/1') + post('/2', 'two')}nonsense\r\n\r\n`);
    expect(handled).toEqual(['/1', '/2']);
    expect(statuses(text)).toEqual(['200', '200', '400']);
  });

  test('is refused once', async () => {
    const text = await responsesTo(`${get('/1')}nonsense\r\n\r\n`, 'more nonsense\r\n\r\n');
    expect(statuses(text)).toEqual(['200', '400']);
  });

  test('is refused with 408 when it is too slow, and its rest is not handled', async () => {
    const text = await responsesTo(`${get('/1')}GET /2 HTTP/1.1\r\nHo`, 'st: x\r\n\r\n');
    expect(handled).toEqual(['/1']);
    expect(statuses(text)).toEqual(['200', '408']);
  });

  test('gets no response when one before it closes the connection', async () => {
    const text = await responsesTo(`${get('/1')}nonsense\r\n\r\n`, '', { connection: 'close' });
    expect(statuses(text)).toEqual(['200']);
  });

  test('gets no response when it is CONNECT', async () => {
    const { socket, received } = await open();
    handler = () => {};
    socket.write(`${get('/1')}CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n`);
    await once(socket, 'close');
    expect([handled, received()]).toEqual([['/1'], '']);
  });
});

describe('a connection that is reset', () => {
  const starts: [string, string][] = [
    ['after CONNECT', 'CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['after CONNECT with bytes behind it', `CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n${'a'.repeat(50_000)}`],
    ['after an Upgrade', get('/', 'Host: x', 'Connection: Upgrade', 'Upgrade: websocket')],
    ['after a malformed request', 'nonsense\r\n\r\n'],
    ['after pipelined requests', get('/', 'Host: x').repeat(50)],
    ['after unknown expectations', get('/', 'Host: x', 'Expect: something').repeat(3)],
    ['after a request without Host', get('/').repeat(3)],
    ['in the middle of a head', 'GET / HTTP/1.1\r\nHo'],
    ['in the middle of a body', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhalf'],
  ];

  test.each(starts)('%s does not affect other connections', async (_, bytes) => {
    // An uncaught exception would end the process; here it fails the test.
    for (let attempt = 0; attempt < 20; attempt++) {
      const { socket } = await open();
      socket.write(bytes);
      if (attempt % 2) await pause(attempt / 4);
      socket.resetAndDestroy();
    }
    await pause(50);
    handler = (_request, response) => response.end('done');
    expect(await (await fetch(server.url)).text()).toBe('done');
  });
});

test('a request that arrives too slowly is refused, even if its bytes keep arriving', async () => {
  const server = createHttpServer({
    handler: (request, response) => void request.resume().once('end', () => response.end()),
    host: '127.0.0.1',
    port: 0,
    requestTimeoutMs: 500,
  });
  await server.start?.();
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  let received = '';
  socket
    .on('error', () => {})
    .on('data', (piece) => {
      received += piece;
    });
  socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n');
  const sending = setInterval(() => socket.write('a'), 20);
  await once(socket, 'close');
  clearInterval(sending);
  await server.stop?.();
  expect(received).toMatch(/^HTTP\/1\.1 408 .*"error":"request_timeout"/s);
});

describe('input for which Node emits no request is refused with a problem and the given headers:', () => {
  test.each([
    [405, 'CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n'],
    [400, 'nonsense\r\n\r\n'],
    [431, `GET /${'a'.repeat(70_000)} HTTP/1.1\r\nHost: x\r\n\r\n`],
  ])('%i', async (status, bytes) => {
    const { socket, received } = await open();
    socket.write(bytes);
    await once(socket, 'close');
    expect(received()).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(received()).toMatch(
      /x-own: yes\r\n.*content-type: application\/problem\+json\r\n.*connection: close/s,
    );
  });
});
