import type { Server } from 'node:http';
import { makeApiKey } from '@expert-relay/kit/api-key';
import { listen } from '@expert-relay/kit/http';
import { captureLogs, eventually, openRaw } from '@expert-relay/testkit';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { RequestEvents } from '../testing/make-event.ts';
import { Reader } from '../testing/reader.ts';
import { makeToken, startTestHub, type TestHub } from '../testing/test-hub.ts';
import { createTestRequests } from '../testing/test-requests.ts';
import { openTestStream, type TestStream } from '../testing/test-stream.ts';

let stream: TestStream;
let hub: TestHub;
let requests: Server;
/** The first exchange of a key gets 500, and further ones are not answered. */
let exchange: 'none' | 'refused' | 'unanswered' = 'none';
const logs = captureLogs();
const { topic } = new RequestEvents();

beforeAll(async () => {
  stream = await openTestStream();
  requests = createTestRequests((_call, response) => {
    if (exchange === 'none') response.writeHead(500).end();
    exchange = exchange === 'none' ? 'refused' : 'unanswered';
  });
  hub = await startTestHub({
    prefix: stream.prefix,
    env: { RELAY_REQUESTS_URL: await listen(requests, '127.0.0.1', 0) },
    overrides: { log: logs.logOf('hub') },
  });
});
afterAll(async () => {
  await hub[Symbol.asyncDispose]();
  requests.closeAllConnections();
  requests.close();
  await stream[Symbol.asyncDispose]();
});

const linesOf = (id: string) =>
  logs.lines.filter(({ callId, msg }) => callId === id && (msg === 'call' || msg === 'stream'));
const lineOf = (id = '') => eventually(`a line of the call ${id}`, () => linesOf(id)[0]);

test.each([
  ['a path that does not exist', 'GET', '/nowhere?secret', {}, 404, 'none'],
  ['a method that is not allowed', 'POST', '/', {}, 405, '/'],
  ['OPTIONS', 'OPTIONS', '/hub', {}, 204, '/'],
  ['HEAD', 'HEAD', `/hub?topic=${topic}`, {}, 200, '/'],
  ['no topic', 'GET', '/?authorization=secret', {}, 400, '/'],
  ['a bad token', 'GET', `/?topic=${topic}&authorization=secret`, {}, 401, '/'],
  ['a bad key', 'GET', `/?topic=${topic}`, { 'x-api-key': 'hs_secret' }, 401, '/'],
  [
    'a key that cannot be checked',
    'GET',
    `/?topic=${topic}`,
    { 'x-api-key': makeApiKey('consumer').text },
    503,
    '/',
  ],
])('%s has one log line, with the id of its response', async (_, method, path, headers, status, route) => {
  const response = await fetch(hub.url + path, { method, headers: { ...headers, 'x-request-id': 'mine' } });
  await response.text();
  expect(response.status).toBe(status);
  const id = response.headers.get('x-request-id') ?? '';
  expect(id).toMatch(/^[0-9a-f-]{36}$/);
  expect(await lineOf(id)).toMatchObject({ msg: 'call', method, route, status, caller: 'none' });
  expect(linesOf(id)).toHaveLength(1);
});

test('a stream has a log line when it begins and one when it ends, and the time until it begins is measured', async () => {
  const token = await makeToken([topic], { cred: { kind: 'session', id: 'a' } });
  const reader = await new Reader(hub.url, [topic], { query: { authorization: token } }).opened();
  const [, id = ''] = /x-request-id: (\S+)/i.exec(reader.head) ?? [];
  const expected = { msg: 'call', method: 'GET', route: '/', status: 200, caller: 'session' };
  expect(await lineOf(id)).toMatchObject(expected);
  const labels = 'service="hub",method="GET",route="/",status="200",caller="session"';
  expect(await hub.metrics()).toContain(`relay_http_request_seconds_count{${labels}} 1\n`);
  reader.close();
  await reader.until('the last line', () => linesOf(id).length === 2);
  expect(linesOf(id)).toMatchObject([expected, { msg: 'stream', reason: 'left', access: 'credential' }]);
});

test('a client that disconnects before its response is logged with the status 499', async () => {
  using connection = await openRaw(hub.url);
  connection.send(
    `GET /?topic=${topic} HTTP/1.1\r\nhost: x\r\nx-api-key: ${makeApiKey('provider').text}\r\n\r\n`,
  );
  await connection.until('the exchange of the key', () => exchange === 'unanswered');
  connection.socket.resetAndDestroy();
  await connection.until('the line', () => logs.lines.some(({ status }) => status === 499));
});

test('of the calls and streams of a client without a credential, 120 lines a minute are written at info', async () => {
  const start = logs.lines.length;
  const lines = (level: string) =>
    logs.lines
      .slice(start)
      .filter((line) => (line.msg === 'call' || line.msg === 'stream') && line.level === level);
  // The lines of the tests before count, too.
  for (let count = 0; count < 80; count++) {
    await (await fetch(`${hub.url}/nowhere`)).text();
    const reader = await new Reader(hub.url, [topic]).opened();
    reader.close();
  }
  await eventually('all lines', () => lines('info').length + lines('debug').length === 240);
  expect(lines('debug').length).toBeGreaterThanOrEqual(120);
  expect(lines('debug').map(({ msg }) => msg)).toEqual(expect.arrayContaining(['call', 'stream']));
  const token = await makeToken([topic], { cred: { kind: 'session', id: 'a' } });
  const reader = await new Reader(hub.url, [topic], { query: { authorization: token } }).opened();
  reader.close();
  await eventually('the lines of a session', () =>
    lines('info').some(({ msg, access }) => msg === 'stream' && access === 'credential'),
  );
});

test('no line has a topic, a token, a key or a query in it', () => {
  const text = JSON.stringify(logs.lines);
  expect(logs.lines.length).toBeGreaterThan(10);
  for (const secret of ['secret', topic, topic.slice(-20), 'topic=']) expect(text).not.toContain(secret);
});
