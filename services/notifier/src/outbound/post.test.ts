import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import { startDnsServer } from '../testing/dns-server.ts';
import { makeCertificate } from '../testing/make-certificate.ts';
import { createAddressRules } from './address-rules.ts';
import { createPost, type PostOptions, parseRetryAfter } from './post.ts';
import { createResolve } from './resolve.ts';

const loopback = createAddressRules(['127.0.0.0/8']);
const servers: Server[] = [];
const sockets = new Set<Socket>();

afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve));
});

async function listen(server: Server): Promise<number> {
  servers.push(server);
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

const http = (listener: RequestListener) => listen(createServer(listener));
const tcp = (listener: (socket: Socket) => void) => listen(createTcpServer(listener));
const poster = (options: Partial<PostOptions> = {}) =>
  createPost({ rules: loopback, resolve: createResolve(), ...options });
const post = (port: number, options?: Partial<PostOptions>) =>
  poster(options)(`http://127.0.0.1:${port}/hook?x=1`, { 'webhook-id': 'msg_1' }, '{"a":1}');

describe('an answer', () => {
  test('with 2xx is a success; the body, path and headers arrive as they are', async () => {
    const received: unknown[] = [];
    const port = await http((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk) => chunks.push(chunk));
      request.on('end', () => {
        const { method, url, headers } = request;
        received.push([
          method,
          url,
          headers['webhook-id'],
          headers['accept-encoding'],
          headers.host,
          Buffer.concat(chunks).toString(),
        ]);
        response.statusCode = 204;
        response.end();
      });
    });
    expect(await post(port)).toEqual({ statusCode: 204, response: '' });
    expect(received).toEqual([['POST', '/hook?x=1', 'msg_1', 'identity', `127.0.0.1:${port}`, '{"a":1}']]);
  });

  test.each([
    [301, 'refused'],
    [302, 'refused'],
    [307, 'refused'],
    [404, 'refused'],
    [500, 'refused'],
    [200, undefined],
  ])('with %s is %s, and a redirect is not followed', async (status, reason) => {
    let calls = 0;
    const port = await http((_, response) => {
      calls++;
      response.writeHead(status, { location: '/other' });
      response.end('text\u0007 with\n"controls" and é');
    });
    expect(await post(port)).toEqual({
      ...(reason && { reason }),
      statusCode: status,
      response: 'text with"controls" and ',
    });
    expect(calls).toBe(1);
  });

  test('keeps 256 characters of its body', async () => {
    const port = await http((_, response) => response.end('x'.repeat(100_000)));
    expect((await post(port)).response).toBe('x'.repeat(256));
  });

  test('tells how long to wait', async () => {
    const port = await http((_, response) => response.writeHead(429, { 'retry-after': '120' }).end());
    expect(await post(port)).toMatchObject({ reason: 'refused', statusCode: 429, retryAfterSeconds: 120 });
  });
});

test.each([
  ['120', 120],
  ['0', 0],
  ['Thu, 01 Jan 1970 00:01:00 GMT', 50],
  ['Thu, 01 Jan 1970 00:00:00 GMT', 0],
  ['soon', undefined],
  [undefined, undefined],
])('Retry-After %j is %j seconds', (text, seconds) => {
  expect(parseRetryAfter(text, 10_000)).toBe(seconds);
});

describe('a hostile receiver', () => {
  test.each<[string, (socket: Socket) => void, string | undefined]>([
    ['that never answers', () => {}, 'timed_out'],
    ['that sends its head byte by byte', (socket) => drip(socket, 'HTTP/1.1 200 OK\r\nx: '), 'timed_out'],
    [
      'that sends endless interim answers',
      (socket) => repeat(socket, 'HTTP/1.1 102 Processing\r\n\r\n'),
      'timed_out',
    ],
    [
      'that sends endless headers',
      (socket) => repeat(socket, 'HTTP/1.1 200 OK\r\n', 'x: y\r\n'.repeat(1_000)),
      'broken_off',
    ],
    [
      'that resets the connection',
      (socket) => socket.once('data', () => socket.resetAndDestroy()),
      'broken_off',
    ],
    ['that closes the connection', (socket) => socket.once('data', () => socket.end()), 'broken_off'],
    ['that does not speak HTTP', (socket) => socket.write('SSH-2.0-OpenSSH_9.2\r\n'), 'broken_off'],
    [
      'that sends an endless body',
      (socket) => repeat(socket, 'HTTP/1.1 200 OK\r\n\r\n', 'x'.repeat(10_000)),
      undefined,
    ],
    [
      'that sends its body byte by byte',
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n');
        drip(socket, 'x'.repeat(900));
      },
      undefined,
    ],
    [
      'that resets after its head',
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\nx', () =>
          setTimeout(() => socket.resetAndDestroy(), 100),
        );
      },
      undefined,
    ],
    [
      'that switches the protocol',
      (socket) => socket.write('HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
      'broken_off',
    ],
  ])('%s costs a limited time: %s', async (_, serve, reason) => {
    const port = await tcp(serve);
    const result = await post(port, { deadlineMs: 1_500 });
    expect(result.reason).toBe(reason);
  });
});

function drip(socket: Socket, text: string): void {
  let at = 0;
  const timer = setInterval(() => socket.write(text[at++] ?? 'x'), 50);
  socket.on('close', () => clearInterval(timer));
}

function repeat(socket: Socket, ...texts: string[]): void {
  const last = texts.at(-1) ?? '';
  const timer = setInterval(() => socket.write(last), 1);
  socket.write(texts.join(''));
  socket.on('close', () => clearInterval(timer));
}

describe('a target', () => {
  const closed = createAddressRules([]);
  test.each([
    ['http://127.0.0.1:PORT/'],
    ['https://127.0.0.1:PORT/'],
    ['http://localhost:PORT/'],
    ['http://[::1]:PORT/'],
    ['http://[::ffff:127.0.0.1]:PORT/'],
    ['http://2130706433:PORT/'],
    ['http://0x7f.1:PORT/'],
    ['http://0177.0.0.1:PORT/'],
    ['http://127.1:PORT/'],
    ['http://0:PORT/'],
    ['http://1.1.1.1:PORT/'],
    ['https://1.1.1.1:PORT/'],
  ])('%s is refused without a connection', async (url) => {
    let connections = 0;
    const port = await tcp(() => connections++);
    const send = createPost({ rules: closed, resolve: createResolve() });
    expect(await send(url.replace('PORT', String(port)), {}, '')).toEqual({ reason: 'address_not_allowed' });
    expect(connections).toBe(0);
  });

  test('is refused when one of the addresses of its name is not allowed', async () => {
    await using dns = await startDnsServer(() => ['127.0.0.1', '10.0.0.1']);
    const send = poster({ resolve: createResolve([dns.address]) });
    expect(await send('http://mixed.test/', {}, '')).toEqual({ reason: 'address_not_allowed' });
  });

  test('is asked for once: a name that changes afterwards leads nowhere else', async () => {
    let asked = 0;
    await using dns = await startDnsServer(() => (asked++ === 0 ? ['127.0.0.1'] : ['127.0.0.2']));
    const port = await http((_, response) => response.end());
    const send = poster({ resolve: createResolve([dns.address]) });
    expect(await send(`http://rebind.test:${port}/`, {}, '')).toMatchObject({ statusCode: 200 });
    expect(dns.asked).toEqual(['rebind.test']);
  });

  test('without an address is reported, and a DNS server that does not answer costs two seconds', async () => {
    await using dns = await startDnsServer((name) => (name === 'silent.test' ? undefined : []));
    const send = poster({ resolve: createResolve([dns.address]) });
    expect(await send('http://nothing.test/', {}, '')).toEqual({ reason: 'name_not_found' });
    expect(await send('http://silent.test/', {}, '')).toEqual({ reason: 'name_not_found' });
  });

  test('that refuses the connection is reported', async () => {
    const port = await tcp(() => {});
    const [server] = servers.splice(0);
    await new Promise((resolve) => server?.close(resolve));
    expect(await post(port)).toEqual({ reason: 'not_reachable' });
  });
});

describe('TLS', () => {
  test('is verified for the name, although the connection goes to the address', async () => {
    const { cert, key } = makeCertificate('hook.test');
    const ca = cert;
    const names: unknown[] = [];
    const tls = createTlsServer({ cert, key }, (_, response) => response.end());
    tls.on('secureConnection', ({ servername }) => names.push(servername));
    const port = await listen(tls);
    await using dns = await startDnsServer(() => ['127.0.0.1']);
    const resolve = createResolve([dns.address]);
    const send = (host: string, options: Partial<PostOptions>) =>
      poster({ resolve, ...options })(`https://${host}:${port}/`, {}, '');
    expect(await send('hook.test', { ca })).toMatchObject({ statusCode: 200 });
    expect(names).toEqual(['hook.test']);
    expect(await send('other.test', { ca })).toEqual({ reason: 'tls_failed' });
    expect(await send('hook.test', {})).toEqual({ reason: 'tls_failed' });
    expect(await send('127.0.0.1', { ca })).toMatchObject({ statusCode: 200 });
  });
});
