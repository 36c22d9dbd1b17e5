import type { IncomingHttpHeaders, Server } from 'node:http';
import { makeApiKey } from '@expert-relay/kit/api-key';
import { listen, readBody } from '@expert-relay/kit/http';
import { openRaw, type RawConnection } from '@expert-relay/testkit';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { RequestEvents } from '../testing/make-event.ts';
import { makeToken, startTestHub, type TestHub } from '../testing/test-hub.ts';
import { createTestRequests } from '../testing/test-requests.ts';
import { openTestStream, type TestStream } from '../testing/test-stream.ts';

let stream: TestStream;
let hub: TestHub;
let requests: Server;
/** The calls that reached the requests service. */
let calls: { apiKey: string; headers: IncomingHttpHeaders }[];
const opened: RawConnection[] = [];
const { topic } = new RequestEvents();
const valid = makeApiKey('consumer').text;

beforeEach(async () => {
  calls = [];
  stream = await openTestStream();
  requests = createTestRequests(async (call, response) => {
    const { apiKey, topics } = JSON.parse(String(await readBody(call)));
    calls.push({ apiKey, headers: call.headers });
    if (apiKey === valid) response.writeHead(201).end(JSON.stringify({ token: await makeToken(topics) }));
    else response.writeHead(401).end();
  });
});
afterEach(async () => {
  for (const connection of opened.splice(0)) connection[Symbol.dispose]();
  await hub[Symbol.asyncDispose]();
  requests.closeAllConnections();
  requests.close();
  await stream[Symbol.asyncDispose]();
});

async function start(env: Record<string, string> = {}): Promise<void> {
  const url = await listen(requests, '127.0.0.1', 0);
  hub = await startTestHub({ prefix: stream.prefix, env: { RELAY_REQUESTS_URL: url, ...env } });
}

/** Sends a request for a stream, without waiting for a response. */
async function send(headers: Record<string, string>, address = '127.0.0.1'): Promise<RawConnection> {
  const connection = await openRaw(hub.url, address);
  opened.push(connection);
  const lines = Object.entries({ host: 'x', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  connection.send(`GET /?topic=${topic} HTTP/1.1\r\n${lines.join('')}\r\n`);
  return connection;
}

/** Returns the status. A stream stays open; after any other response the connection is closed. */
async function statusOf(headers: Record<string, string>, address?: string): Promise<number | undefined> {
  const connection = await send(headers, address);
  await connection.until('a response', () => connection.statuses.length > 0);
  if (connection.statuses[0] !== 200) connection[Symbol.dispose]();
  return connection.statuses[0];
}

const guess = () => ({ 'x-api-key': makeApiKey('consumer').text });
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const eventStream = { accept: 'text/event-stream' };

describe('failures of one address', () => {
  test('400 guesses reach the requests service as often as the limit allows, and are then refused without a check', async () => {
    await start();
    const statuses: (number | undefined)[] = [];
    for (let round = 0; round < 40; round++) {
      statuses.push(...(await Promise.all(Array.from({ length: 10 }, () => statusOf(guess())))));
    }
    expect(new Set(statuses)).toEqual(new Set([401, 429]));
    expect(statuses.filter((status) => status === 401)).toHaveLength(60);
    expect(calls.length).toBeLessThan(60 + 10);
    expect(await statusOf(guess(), '127.0.0.2')).toBe(401);
    expect(await hub.metrics()).toMatch(/streams_refused_total\{reason="too_many_failures",.*\} 340\n/);
  });

  test('beyond the limit: a script gets 429, an EventSource gets hub.end', async () => {
    await start({ RELAY_HUB_FAILURES_PER_ADDRESS: '1', RELAY_HUB_BUSY_RETRY: '40s' });
    expect(await statusOf(guess())).toBe(401);
    const script = await send(guess());
    await script.until('the response', () => script.received.includes('}'));
    expect(script.received).toMatch(
      /^HTTP\/1\.1 429 [\s\S]*retry-after: 60\r\n[\s\S]*"error":"rate_limited"/i,
    );
    const browser = await send({ ...eventStream, ...bearer('not a token') });
    await browser.until('the end', () => browser.socket.destroyed);
    expect(browser.received).toMatch(
      /^HTTP\/1\.1 200 [\s\S]*retry: [2-6]\d{4}\nevent: hub\.end\ndata: \{"reason":"too_many_failures"\}\n\n/,
    );
  });

  test('do not affect tokens, keys that were recently valid and request topics at that address', async () => {
    await start({ RELAY_HUB_FAILURES_PER_ADDRESS: '5' });
    expect(await statusOf({ 'x-api-key': valid })).toBe(200);
    for (let count = 0; count < 10; count++) await statusOf(guess());
    expect(await statusOf(guess())).toBe(429);
    expect(await statusOf(bearer(await makeToken([topic])))).toBe(200);
    expect(await statusOf(bearer(await makeToken([topic], { expiresAt: 1 })))).toBe(429);
    expect(await statusOf({ 'x-api-key': valid })).toBe(200);
    expect(await statusOf({})).toBe(200);
  });

  test('beyond the limit, a valid key that was not used before is refused too, at this address only', async () => {
    await start({ RELAY_HUB_FAILURES_PER_ADDRESS: '5' });
    for (let count = 0; count < 5; count++) await statusOf(guess());
    expect(await statusOf({ 'x-api-key': valid })).toBe(429);
    expect(await statusOf({ 'x-api-key': valid }, '127.0.0.2')).toBe(200);
    expect(await statusOf({ 'x-api-key': valid })).toBe(200);
  });

  test('are not limited when the setting is 0', async () => {
    await start({ RELAY_HUB_FAILURES_PER_ADDRESS: '0' });
    for (let count = 0; count < 100; count++) expect(await statusOf(guess())).toBe(401);
  });
});

test('one bad key is checked once, even if it is sent often', async () => {
  await start();
  const bad = guess();
  for (let count = 0; count < 20; count++) expect(await statusOf(bad, `127.0.0.${1 + count}`)).toBe(401);
  expect(calls).toHaveLength(1);
});

test('a cap is checked before a key is', async () => {
  await start({ RELAY_HUB_MAX_STREAMS: '1' });
  expect(await statusOf({})).toBe(200);
  expect(await statusOf({ 'x-api-key': valid })).toBe(503);
  expect(await statusOf(guess())).toBe(503);
  expect(calls).toEqual([]);
});

test('a call has one id in its response, at the requests service and in the log', async () => {
  await start();
  const connection = await send({ 'x-api-key': valid, 'x-request-id': 'mine' });
  await connection.until('a response', () => connection.statuses.length > 0);
  const [, id] = /x-request-id: (\S+)\r\n/i.exec(connection.received) ?? [];
  expect(id).toMatch(/^[0-9a-f-]{36}$/);
  expect(calls[0]?.headers['x-request-id']).toBe(id);
});

test('the connections of an address without a stream are limited, and streams do not count', async () => {
  await start({ RELAY_HUB_MAX_CONNECTIONS_PER_ADDRESS: '3' });
  for (let count = 0; count < 6; count++) expect(await statusOf(eventStream)).toBe(200);
  const idle = await Promise.all([1, 2, 3].map(() => openRaw(hub.url)));
  opened.push(...idle);
  const refused = await send(eventStream);
  await refused.until('the end', () => refused.socket.destroyed);
  expect(refused.received).toBe('');
  expect(await statusOf({}, '127.0.0.2')).toBe(200);
  expect(await hub.metrics()).toMatch(/relay_http_connections_closed_total\{limit="address".*\} 1\n/);
});
