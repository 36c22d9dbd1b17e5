import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { type ClientRequest, createServer, type RequestListener } from 'node:http';
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

describe('a response', () => {
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
      response.end('text\u0007 with\n"controls", \u202eé, 日本, می\u200cخواهم \u200b and 👩\u200d💻');
    });
    expect(await post(port)).toEqual({
      ...(reason && { reason }),
      statusCode: status,
      response: 'text with "controls", é, 日本, می\u200cخواهم and 👩\u200d💻',
    });
    expect(calls).toBe(1);
  });

  test.each(['x', 'ä', '😀'])('keeps 256 characters of its body: %s', async (character) => {
    const port = await http((_, response) => response.end(character.repeat(100_000)));
    expect((await post(port)).response).toBe(character.repeat(256));
  });

  test('in very many parts is not read to its end', async () => {
    const part = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
    const port = await tcp((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
      socket.write(part('.').repeat(250) + part('\0').repeat(10_000) + part('late') + part(''));
    });
    expect(await post(port)).toEqual({ statusCode: 200, response: '.'.repeat(250) });
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

describe('a response of a megabyte', () => {
  const { cert, key } = makeCertificate('hook.test');
  test.each([
    ['http', (listener: RequestListener) => createServer(listener)],
    ['https', (listener: RequestListener) => createTlsServer({ cert, key }, listener)],
  ])('is handed to the parser in small parts over %s', async (protocol, create) => {
    const port = await listen(create((_, response) => response.end(Buffer.alloc(2 ** 20, 'x'))));
    const lengths: number[] = [];
    const watch = (message: unknown) => {
      const { request } = message as { request: ClientRequest };
      request.socket?.on('data', ({ length }: Buffer) => lengths.push(length));
    };
    subscribe('http.client.request.start', watch);
    try {
      const result = await poster({ ca: cert })(`${protocol}://127.0.0.1:${port}/`, {}, '');
      expect(result).toEqual({ statusCode: 200, response: 'x'.repeat(256) });
    } finally {
      unsubscribe('http.client.request.start', watch);
    }
    expect(Math.max(...lengths)).toBe(4_096);
    // And not to its end.
    expect(lengths.length).toBeLessThan(64);
  });
});

describe('a target', () => {
  const closed = createAddressRules([]);
  test.each([
    ['http://127.0.0.1:PORT/'],
    ['https://127.0.0.1:PORT/'],
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

  test('a name with many addresses has 32', async () => {
    const many = Array.from({ length: 60 }, (_, index) => `93.184.216.${index}`);
    await using dns = await startDnsServer(() => many);
    expect(await createResolve([dns.address])('many.test')).toEqual(many.slice(0, 32));
  });

  test.each<[string, PostOptions['rules'], readonly string[]]>([
    ['one of whose addresses is not allowed', loopback, ['127.0.0.1', '10.0.0.1']],
    ['of an inner address', closed, ['10.0.0.1']],
    ['of an inner address, where others are allowed', loopback, ['10.0.0.1']],
    ['of a public address, over http', loopback, ['93.184.216.34']],
    ['without an address', closed, []],
  ])(
    'a name %s gets the reason of one that does not exist: inner names cannot be listed',
    async (_, rules, found) => {
      await using dns = await startDnsServer(() => found);
      const send = poster({ rules, resolve: createResolve([dns.address]) });
      expect(await send('http://name.test/', {}, '')).toEqual({ reason: 'name_not_found' });
    },
  );

  test('localhost is a name like any other that is not allowed', async () => {
    const send = poster({ rules: closed });
    expect(await send('https://localhost/', {}, '')).toEqual({ reason: 'name_not_found' });
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
  test('that never ends its handshake costs a limited time', async () => {
    const port = await tcp(() => {});
    const result = await poster({ deadlineMs: 1_000 })(`https://127.0.0.1:${port}/`, {}, '');
    expect(result).toEqual({ reason: 'timed_out' });
  });

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
