import { setTimeout as pause } from 'node:timers/promises';
import { eventually, openRaw, type RawConnection } from '@expert-relay/testkit';
import { afterEach, describe, expect, test } from '@jest/globals';
import { ask } from '../testing/ask.ts';
import { startTestGateway, useTestGateway } from '../testing/test-gateway.ts';

const gateway = useTestGateway();

/** How many calls have reached a service. */
const countForwarded = () =>
  Object.values(gateway.upstreams).reduce((sum, { calls }) => sum + calls.length, 0);

const opened: RawConnection[] = [];
afterEach(() => {
  for (const { socket } of opened.splice(0)) socket.destroy();
});

/** Sends bytes over a new connection, and returns the first response. */
async function sendRaw(
  text: string,
): Promise<{ status: number; text: string; closed: () => Promise<boolean> }> {
  const connection = await openRaw(gateway.url);
  connection.send(text);
  await connection.responses(1);
  await pause(20);
  opened.push(connection);
  const { received } = connection;
  const closed = () => connection.closed();
  return { status: Number(received.slice(9, 12)), text: received, closed };
}

const securityHeaders = [
  /strict-transport-security: max-age=31536000\r\n/i,
  /x-frame-options: DENY\r\n/i,
  /x-content-type-options: nosniff\r\n/i,
  /referrer-policy: origin-when-cross-origin\r\n/i,
  /content-security-policy: default-src 'self'/i,
  /x-request-id: [0-9a-f-]{36}\r\n/i,
  /vary: Origin/i,
];
const allHeaders = [
  ...securityHeaders,
  /connection: close\r\n/i,
  /content-type: application\/problem\+json\r\n/i,
];

describe('a request that could be read in two ways is refused and not forwarded:', () => {
  const post = (...lines: string[]) =>
    ['POST /api/v1/help HTTP/1.1', 'Host: x', ...lines].join('\r\n').replace(/$/, '\r\n\r\n');
  test.each([
    ['a length and chunks', `${post('Content-Length: 5', 'Transfer-Encoding: chunked')}0\r\n\r\n`],
    ['chunks and a length', `${post('Transfer-Encoding: chunked', 'Content-Length: 5')}0\r\n\r\n`],
    ['two lengths', `${post('Content-Length: 1', 'Content-Length: 2')}ab`],
    ['one length twice', `${post('Content-Length: 1', 'Content-Length: 1')}a`],
    ['lengths in a list', `${post('Content-Length: 1, 1')}a`],
    ['a signed length', `${post('Content-Length: +1')}a`],
    ['a negative length', `${post('Content-Length: -1')}a`],
    ['an unknown coding', `${post('Transfer-Encoding: xchunked')}0\r\n\r\n`],
    ['identity', post('Transfer-Encoding: identity')],
    ['a coding before chunked', `${post('Transfer-Encoding: gzip, chunked')}0\r\n\r\n`],
    [
      'chunked, then another',
      `${post('Transfer-Encoding: chunked', 'Transfer-Encoding: identity')}0\r\n\r\n`,
    ],
    ['a space before the colon', `${post('Transfer-Encoding : chunked')}0\r\n\r\n`],
    ['a folded header', post('X: a', ' b')],
    ['bare line feeds', 'POST /api/v1/help HTTP/1.1\nHost: x\nContent-Length: 0\n\n'],
    ['NUL in a header', post('X: a\0b')],
    ['a chunk size that is not a number', `${post('Transfer-Encoding: chunked')}zz\r\na\r\n0\r\n\r\n`],
    ['no Host', 'GET /api/v1/whoami HTTP/1.1\r\n\r\n'],
    ['two Hosts', 'GET /api/v1/whoami HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n'],
    ['a list of Hosts', 'GET /api/v1/whoami HTTP/1.1\r\nHost: a, b\r\n\r\n'],
    ['a Host with a path', 'GET /api/v1/whoami HTTP/1.1\r\nHost: a/b\r\n\r\n'],
    ['a list of Hosts in HTTP/1.0', 'GET /api/v1/whoami HTTP/1.0\r\nHost: a, b\r\n\r\n'],
    [
      'chunks in HTTP/1.0',
      'POST /api/v1/help HTTP/1.0\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['NUL in the path', 'GET /api/v1/help/\0 HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['bytes above ASCII in the path', 'GET /api/v1/help/\xe9 HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['no method', '/ HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['an unknown method', 'FETCH / HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['TLS', '\x16\x03\x01\x02\x00\x01\x00'],
  ])('%s', async (_, text) => {
    const before = countForwarded();
    const response = await sendRaw(text);
    expect(response.status).toBe(400);
    expect(countForwarded()).toBe(before);
    for (const header of securityHeaders) expect(response.text).toMatch(header);
    // No part of it was read as a second request.
    expect(response.text.match(/HTTP\/1\.1 \d{3} /g)).toHaveLength(1);
  });
});

describe('another spelling of a path is not found:', () => {
  test.each([
    '//api/v1/whoami',
    '/api//v1/whoami',
    '/api/v1/%77hoami',
    '/api/v1/%68elp/x',
    '/api%2fv1%2fwhoami',
    '/api/v1/./whoami',
    '/api/v1/x/../whoami',
    '/dashboard/..%2finternal/keys',
    '/dashboard/%2e%2e/internal/keys',
    '/dashboard/..;/internal/keys',
    '/api/v1/whoami;x=y',
    '/api/v1/whoami/',
    '/API/V1/WHOAMI',
    '/api/v1/help/%00',
    '/api/v1/help/a%0d%0aX-Evil:%201',
    '/api\\v1\\whoami',
    '/internal/keys',
    '/internal/stream-token',
    '/livez',
    '/metrics',
    'http://other/api/v1/whoami',
    'http://[::1',
    'http://',
    'x',
    'https://evil.example/dashboard',
    '*',
  ])('%s', async (target) => {
    const before = countForwarded();
    const response = await sendRaw(
      `GET ${target} HTTP/1.1\r\nHost: x\r\nx-api-key: ${gateway.consumer.text}\r\n\r\n`,
    );
    expect([400, 404]).toContain(response.status);
    for (const header of securityHeaders) expect(response.text).toMatch(header);
    expect(countForwarded()).toBe(before);
  });
});

test('the path that is matched is forwarded unchanged', async () => {
  for (const path of [
    '/api/v1/help/a%41?a=../..&b=//%2e',
    '/dashboard/a,b;c'.replace(';', '+'),
    '/auth/x?next=http://y/',
  ]) {
    const { status } = await ask(gateway.url, { path });
    expect(status).toBe(200);
    const urls = Object.values(gateway.upstreams).map(({ calls }) => calls.at(-1)?.url);
    expect(urls).toContain(path);
  }
});

describe('a refusal without Express has every header, and closes the connection:', () => {
  test.each([
    ['a head beyond 16 KiB', 431, `GET / HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(17_000)}\r\n\r\n`],
    ['a target beyond 16 KiB', 431, `GET /${'a'.repeat(17_000)} HTTP/1.1\r\nHost: x\r\n\r\n`],
    ['CONNECT', 405, 'CONNECT db:5432 HTTP/1.1\r\nHost: db:5432\r\n\r\n'],
    ['a malformed request', 400, 'hello\r\n\r\n'],
  ])('%s', async (_, status, text) => {
    const response = await sendRaw(text);
    expect(response.status).toBe(status);
    for (const header of allHeaders) expect(response.text).toMatch(header);
    expect(JSON.parse(response.text.split('\r\n\r\n')[1] ?? '')).toMatchObject({ status });
    expect(await response.closed()).toBe(true);
  });
});

test.each([100, 4_000])('%i headers are too many', async (count) => {
  const response = await sendRaw(`GET /dashboard HTTP/1.1\r\nHost: x\r\n${'a: b\r\n'.repeat(count)}\r\n`);
  expect(response.status).toBe(431);
  for (const header of securityHeaders) expect(response.text).toMatch(header);
  expect(await response.closed()).toBe(true);
});

describe('the protocol cannot be changed:', () => {
  test.each(['websocket', 'h2c'])('%s', async (protocol) => {
    const response = await sendRaw(
      `GET /dashboard HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: ${protocol}\r\n\r\n`,
    );
    expect(response.status).toBe(200);
    expect(gateway.upstreams.dashboard.calls.at(-1)?.headers).not.toHaveProperty('upgrade');
    expect(response.text).toMatch(/^connection: close\r$/im);
    expect(await response.closed()).toBe(true);
  });
});

test('HTTP/1.0 gets no interim response', async () => {
  const body = JSON.stringify({ apiKey: gateway.consumer.text });
  const response = await sendRaw(
    `POST /api/v1/help HTTP/1.0\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  expect(response.status).toBe(200);
});

describe('several requests in one packet', () => {
  test('are answered in order, and the third is refused', async () => {
    const connection = await openRaw(gateway.url);
    const one = (path: string) =>
      `GET ${path} HTTP/1.1\r\nHost: x\r\nx-api-key: ${gateway.consumer.text}\r\n\r\n`;
    const before = countForwarded();
    connection.send(one('/api/v1/messages/first') + one('/nowhere') + one('/api/v1/messages/third'));
    expect(await connection.closed()).toBe(true);
    expect(connection.statuses).toEqual([200, 404, 429]);
    expect(countForwarded()).toBe(before + 1);
    for (const header of allHeaders) expect(connection.received.split('HTTP/1.1 429')[1]).toMatch(header);
  });

  test('are answered in order when the second is malformed', async () => {
    const connection = await openRaw(gateway.url);
    connection.send(`GET /api/health HTTP/1.1\r\nHost: x\r\n\r\nnonsense\r\n\r\n`);
    expect(await connection.closed()).toBe(true);
    const statuses = [...connection.received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
    expect(statuses).toEqual(['200', '400']);
  });
});

describe('slow clients', () => {
  test('that send a head slowly, or nothing, are disconnected, and the first get 408', async () => {
    const [slow, silent] = await Promise.all([openRaw(gateway.url), openRaw(gateway.url)]);
    slow.send('GET /api/health HTTP/1.1\r\nHost: x\r\nX: ');
    const sending = setInterval(() => slow.socket.destroyed || slow.send('a'), 500);
    const closed = await Promise.all([slow.closed(), silent.closed()]);
    clearInterval(sending);
    for (const { socket } of [slow, silent]) socket.destroy();
    expect(closed).toEqual([true, true]);
    expect(slow.received).toMatch(/^HTTP\/1\.1 408 /);
    for (const header of allHeaders) expect(slow.received).toMatch(header);
  });

  test('do not delay other clients', async () => {
    const idle = await Promise.all(Array.from({ length: 200 }, () => openRaw(gateway.url)));
    for (const connection of idle) connection.send('GET / HTTP/1.1\r\nX: ');
    await pause(50);
    expect((await ask(gateway.url, { path: '/dashboard' })).status).toBe(200);
    for (const connection of idle) connection.socket.destroy();
  });

  test('that do not read their response are disconnected, and the call to the service ends', async () => {
    const withTimeout = await startTestGateway({ stallTimeoutMs: 400 });
    const { dashboard } = withTimeout.upstreams;
    const callEnded = new Promise<void>((resolve) => {
      dashboard.handler = (_request, response) => {
        response.once('close', resolve);
        const fill = () => {
          while (!response.destroyed && response.write(Buffer.alloc(65_536)));
        };
        response.writeHead(200).on('drain', fill);
        fill();
      };
    });
    const connection = await openRaw(withTimeout.url);
    opened.push(connection);
    connection.socket.pause();
    connection.send('GET /dashboard HTTP/1.1\r\nHost: x\r\n\r\n');
    await callEnded;
    connection.socket.resume();
    expect(await connection.closed()).toBe(true);
    // The kernel has dropped the megabytes that it kept for this client.
    expect(connection.received.length).toBeLessThan(2 ** 20);
    await withTimeout.stop();
  });
});

test('the connections of an address are limited, and a closed one does not count', async () => {
  const limited = await startTestGateway({ env: { RELAY_MAX_CONNECTIONS_PER_ADDRESS: '3' } });
  const open = await Promise.all([openRaw(limited.url), openRaw(limited.url), openRaw(limited.url)]);
  expect(await (await openRaw(limited.url)).closed()).toBe(true);
  open[0]?.socket.destroy();
  await eventually('there is room', () =>
    ask(limited.url, { path: '/dashboard' }).then(
      ({ status }) => status === 200,
      () => false,
    ),
  );
  for (const { socket } of open) socket.destroy();
  await limited.stop();
});
