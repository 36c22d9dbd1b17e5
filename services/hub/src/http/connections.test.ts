import type { Server, ServerResponse } from 'node:http';
import { makeApiKey } from '@expert-relay/kit/api-key';
import { listen } from '@expert-relay/kit/http';
import { openRaw, type RawConnection } from '@expert-relay/testkit';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { RequestEvents } from '../testing/make-event.ts';
import { Reader } from '../testing/reader.ts';
import { startTestHub, type TestHub } from '../testing/test-hub.ts';
import { createTestRequests } from '../testing/test-requests.ts';
import { openTestStream, type TestStream } from '../testing/test-stream.ts';

let stream: TestStream;
let hub: TestHub;
/** Exchanges of keys get no response until the end of the test. */
let requests: Server;
const exchanges: ServerResponse[] = [];
/** A stream that every test must leave open and working. */
let unaffected: Reader;
const request = new RequestEvents();
const opened: RawConnection[] = [];

beforeAll(async () => {
  stream = await openTestStream();
  requests = createTestRequests((_call, response) => void exchanges.push(response));
  hub = await startTestHub({
    prefix: stream.prefix,
    env: { RELAY_REQUESTS_URL: await listen(requests, '127.0.0.1', 0) },
  });
  unaffected = await new Reader(hub.url, [request.topic]).opened();
});
afterEach(async () => {
  for (const connection of opened.splice(0)) connection[Symbol.dispose]();
  for (const exchange of exchanges.splice(0)) exchange.writeHead(401).end();
  // An uncaught exception would have failed the test as well: Jest listens for them.
  await unaffected.until('no stream but one', async () =>
    /relay_hub_streams\{access="anonymous",.*\} 1\n/.test(await hub.metrics()),
  );
  const count = unaffected.events.length + 1;
  await stream.publish(request.newMessage());
  await unaffected.count(count);
});
afterAll(async () => {
  unaffected.close();
  await hub[Symbol.asyncDispose]();
  requests.closeAllConnections();
  requests.close();
  await stream[Symbol.asyncDispose]();
});

let address = 0;
async function open(): Promise<RawConnection> {
  const connection = await openRaw(hub.url, `127.0.0.${2 + (address++ % 200)}`);
  opened.push(connection);
  return connection;
}

const streamRequest = (headers = '') =>
  `GET /?topic=${request.topic} HTTP/1.1\r\nhost: x\r\naccept: text/event-stream\r\n${headers}\r\n`;
const withKey = () => streamRequest(`x-api-key: ${makeApiKey('consumer').text}\r\n`);

const badChunks = 'POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n';

/** What a client may send on a connection besides the request for a stream. */
const others: readonly (readonly [string, string])[] = [
  ['a second stream', streamRequest()],
  ['a HEAD', 'HEAD / HTTP/1.1\r\nhost: x\r\n\r\n'],
  ['an unknown path', 'GET /nowhere HTTP/1.1\r\nhost: x\r\n\r\n'],
  ['an absolute address of another host', 'GET http://y/?topic=y HTTP/1.1\r\nhost: x\r\n\r\n'],
  ['no Host', 'GET / HTTP/1.1\r\n\r\n'],
  ['a list of Hosts', 'GET / HTTP/1.1\r\nhost: x, y\r\n\r\n'],
  ['chunks in HTTP/1.0', 'GET / HTTP/1.0\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n'],
  ['an unknown expectation', 'GET / HTTP/1.1\r\nhost: x\r\nexpect: tea\r\n\r\n'],
  ['100-continue', 'POST / HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\ncontent-length: 5\r\n\r\n'],
  ['a body that is never sent', 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\n\r\n'],
  ['a body in bad chunks', badChunks],
  [
    'a length and chunks',
    'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n',
  ],
  ['CONNECT', 'CONNECT db:5432 HTTP/1.1\r\nhost: db:5432\r\n\r\n'],
  ['an upgrade', 'GET / HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n'],
  [
    'an upgrade to HTTP/2',
    'GET / HTTP/1.1\r\nhost: x\r\nconnection: upgrade, http2-settings\r\nupgrade: h2c\r\n\r\n',
  ],
  ['HTTP/2 without an upgrade', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ['nonsense', 'hello\r\n\r\n'],
  ['TLS', '\x16\x03\x01\x02\x00\x01\x00'],
  ['a head beyond 64 KiB', `GET / HTTP/1.1\r\nhost: x\r\nx: ${'a'.repeat(70_000)}\r\n\r\n`],
  ['an HTTP/1.0 request', 'GET / HTTP/1.0\r\n\r\n'],
];
/** The server may wait for the rest of these. */
const incomplete: readonly (readonly [string, string])[] = [
  ['half a head', 'GET / HTTP/1.1\r\nhost: x\r\nx'],
  ['an empty line', '\r\n'],
];
const ends: readonly (readonly [string, (connection: RawConnection) => void])[] = [
  ['closes', ({ socket }) => socket.end()],
  ['resets', ({ socket }) => socket.resetAndDestroy()],
];

describe('on the connection of a stream,', () => {
  test.each([...others, ...incomplete])('%s ends the stream and nothing else', async (_, other) => {
    const connection = await open();
    connection.send(streamRequest());
    await connection.until('the stream', () => connection.received.includes('retry:'));
    connection.send(other);
    await connection.until('the end', () => connection.socket.destroyed);
    expect(connection.statuses).toEqual([200]);
  });

  test.each([...others, ...incomplete])(
    '%s in the same packet is not answered, and more ends the stream',
    async (_, other) => {
      const connection = await open();
      connection.send(streamRequest() + other);
      await connection.until('a response', () => connection.received !== '' || connection.socket.destroyed);
      connection.send('more');
      await connection.until('the end', () => connection.socket.destroyed);
      expect(connection.statuses.length).toBeLessThanOrEqual(1);
    },
  );

  test.each(ends)('a client that sends any of them and %s', async (_, end) => {
    for (const [, other] of [...others, ...incomplete]) {
      const [late, early, waiting] = await Promise.all([open(), open(), open()]);
      late.send(streamRequest());
      await late.until('the stream', () => late.received.includes('retry:'));
      for (const [connection, text] of [
        [late, other],
        [early, streamRequest() + other],
        [waiting, withKey() + other],
      ] as const) {
        connection.send(text);
        end(connection);
      }
    }
  });
});

describe('on a connection without a stream,', () => {
  const headers = [
    /\r\nstrict-transport-security: max-age=31536000\r\n/i,
    /\r\nx-frame-options: DENY\r\n/i,
    /\r\ncontent-security-policy: default-src 'none'; frame-ancestors 'none'\r\n/i,
    /\r\nx-content-type-options: nosniff\r\n/i,
    /\r\nreferrer-policy: origin-when-cross-origin\r\n/i,
    /\r\nvary: Origin\r\n/i,
    /\r\nx-request-id: [0-9a-f-]{36}\r\n/i,
  ];
  const statuses: Record<string, number> = {
    'a second stream': 200,
    'an unknown path': 404,
    'an absolute address of another host': 404,
    '100-continue': 405,
    'a body that is never sent': 405,
    CONNECT: 405,
    'a head beyond 64 KiB': 431,
  };

  test('a body in bad chunks is not answered twice', async () => {
    const connection = await open();
    connection.send(badChunks);
    await connection.until('the end', () => connection.socket.destroyed);
    expect(connection.statuses.length).toBeLessThanOrEqual(1);
  });

  const answered = others.filter(([, other]) => other !== badChunks);
  test.each(answered)('%s gets all headers', async (name, other) => {
    const connection = await open();
    connection.send(other);
    await connection.until('a response', () => connection.received.includes('\r\n\r\n'));
    expect(connection.statuses).toEqual([statuses[name] ?? 400]);
    for (const header of headers) expect(connection.received).toMatch(header);
    const isProblem = name !== 'a HEAD' && name !== 'a second stream';
    if (isProblem) expect(connection.received).toContain('"error":"');
  });

  test.each(ends)('a client that sends any of them and %s', async (_, end) => {
    for (const [, other] of [...others, ...incomplete]) {
      const connection = await open();
      connection.send(other);
      end(connection);
      await connection.until('the end', () => connection.socket.destroyed);
    }
  });

  test.each(others.filter(([name]) => /upgrade|HTTP\/1.0/.test(name) && !name.startsWith('HTTP/2')))(
    '%s closes the connection, and what is behind it is not answered',
    async (_, other) => {
      const connection = await open();
      connection.send(`${other}GET /nowhere HTTP/1.1\r\nhost: x\r\n\r\n`);
      await connection.until('the end', () => connection.socket.destroyed);
      expect(connection.statuses).toEqual([400]);
    },
  );

  test('a refused request leaves the connection open for the next one', async () => {
    const connection = await open();
    for (let count = 1; count <= 20; count++) {
      connection.send('GET /nowhere HTTP/1.1\r\nhost: x\r\n\r\n');
      await connection.until(
        'a response',
        () => connection.received.split('"error":"not_found"').length > count,
      );
    }
    expect(connection.statuses).toEqual(Array(20).fill(404));
    connection.send(streamRequest());
    await connection.until('the stream', () => connection.received.includes('retry:'));
  });
});

test('a head that is not complete in time gets 408, and streams last longer', async () => {
  const reader = await new Reader(hub.url, [request.topic]).opened();
  const connection = await open();
  connection.send('GET / HTTP/1.1\r\nhost: x\r\nx');
  // Node's limit is 10 s, and it looks every 2 s.
  await connection.until('the end', () => connection.socket.destroyed);
  expect(connection.statuses).toEqual([408]);
  expect(reader.isEnded).toBe(false);
  reader.close();
});

test('a hub that stops waits neither for unused connections nor for streams', async () => {
  const other = await startTestHub({ prefix: stream.prefix });
  const [unused, idle] = await Promise.all([openRaw(other.url), openRaw(other.url)]);
  opened.push(unused, idle);
  idle.send('GET /nowhere HTTP/1.1\r\nhost: x\r\n\r\n');
  await idle.until('the response', () => idle.received.includes('"error":'));
  const reader = await new Reader(other.url, [request.topic]).opened();
  await other[Symbol.asyncDispose]();
  await unused.until('their ends', () => unused.socket.destroyed && idle.socket.destroyed && reader.isEnded);
  expect(reader.named('hub.end')).toMatchObject([{ data: '{"reason":"stopping"}' }]);
});
