import { Agent } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ask } from '../testing/ask.ts';
import { openRaw } from '../testing/raw-connection.ts';
import { startTestGateway, type TestGateway } from '../testing/test-gateway.ts';

const limit = 1_048_576;
let gateway: TestGateway;
let key: string;

beforeAll(async () => {
  gateway = await startTestGateway();
  key = (await gateway.makeKey('consumer')).text;
});
afterAll(() => gateway.stop());

const head = (path: string, ...headers: string[]) =>
  [`POST ${path} HTTP/1.1`, 'Host: relay.example', `x-api-key: ${key}`, ...headers, '', ''].join('\r\n');
const chunk = (size: number) => `${size.toString(16)}\r\n${'a'.repeat(size)}\r\n`;
const send = (size: number, headers: Record<string, string | number>) =>
  ask(gateway.url, {
    method: 'POST',
    path: '/api/v1/message/abc',
    headers: { 'x-api-key': key, ...headers },
    body: Buffer.alloc(size, 'a'),
  });

describe('a body of exactly 1 MiB goes through', () => {
  test.each([
    ['with its length', { 'content-length': limit }],
    ['chunked', { 'transfer-encoding': 'chunked' }],
  ])('%s', async (_, headers) => {
    expect((await send(limit, headers)).status).toBe(200);
    const received = gateway.upstreams.messages.calls.at(-1);
    expect(received?.body.equals(Buffer.alloc(limit, 'a'))).toBe(true);
  });

  test('as a submit', async () => {
    const body = JSON.stringify({ apiKey: key, question: '' });
    const full = JSON.stringify({ apiKey: key, question: 'q'.repeat(limit - body.length) });
    const submit = (text: string) =>
      ask(gateway.url, {
        method: 'POST',
        path: '/api/v1/help',
        headers: { 'content-type': 'application/json', 'transfer-encoding': 'chunked' },
        body: text,
      });
    expect((await submit(full)).status).toBe(200);
    expect(gateway.upstreams.requests.calls.at(-1)?.body.toString()).toBe(full);
    expect((await submit(`${full} `)).status).toBe(413);
  });
});

describe('one byte more is 413', () => {
  test.each([
    ['with its length', { 'content-length': limit + 1 }],
    ['chunked', { 'transfer-encoding': 'chunked' }],
  ])('%s', async (_, headers) => {
    const before = gateway.upstreams.messages.calls.length;
    const answer = await send(limit + 1, headers);
    expect([answer.status, answer.json.error]).toEqual([413, 'payload_too_large']);
    expect(answer.headers.connection).toBe('close');
    expect(gateway.upstreams.messages.calls).toHaveLength(before);
  });

  test('said before the body was read, when its length says it', async () => {
    const connection = await openRaw(gateway.url);
    connection.send(head('/api/v1/message/abc', 'Content-Length: 99999999999'));
    expect(await connection.answers(1)).toMatch(/^HTTP\/1\.1 413 .*"error":"payload_too_large"/s);
    connection.socket.destroy();
  });

  test('said when the byte arrives, while the client still sends', async () => {
    const connection = await openRaw(gateway.url);
    connection.send(head('/api/v1/message/abc', 'Transfer-Encoding: chunked'));
    connection.send(chunk(limit));
    await pause(100);
    expect(connection.received).toBe('');
    connection.send(chunk(1));
    expect(await connection.answers(1)).toMatch(/^HTTP\/1\.1 413 /);
    connection.socket.destroy();
  });
});

describe('a client that goes on sending', () => {
  test('gets to see its 413, though it reads only after 8 MiB', async () => {
    const answer = await send(8 * limit, { 'content-length': 8 * limit });
    expect(answer.status).toBe(413);
  });

  test('is cut off after a while', async () => {
    const connection = await openRaw(gateway.url);
    connection.send(head('/api/v1/message/abc', 'Transfer-Encoding: chunked'));
    const piece = chunk(limit);
    const sending = setInterval(() => connection.socket.writableNeedDrain || connection.send(piece), 1);
    const closed = await connection.closed(4_500);
    clearInterval(sending);
    connection.socket.destroy();
    expect(closed).toBe(true);
    expect(connection.received).toMatch(/^HTTP\/1\.1 413 /);
    expect(connection.socket.bytesWritten).toBeLessThan(64 * limit);
  });

  test('is cut off when it sends nothing more, too', async () => {
    const connection = await openRaw(gateway.url);
    connection.send(head('/api/v1/message/abc', `Content-Length: ${limit + 1}`));
    await connection.answers(1);
    expect(await connection.closed(4_000)).toBe(true);
  });
});

describe('other refusals before the body was read', () => {
  test('leave the connection open when the rest of the body is short and known', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const call = { method: 'POST', path: '/api/v1/message/abc', body: 'a'.repeat(100_000), agent };
    const refused = await ask(gateway.url, call);
    const accepted = await ask(gateway.url, { ...call, headers: { 'x-api-key': key } });
    expect([refused.status, accepted.status]).toEqual([401, 200]);
    expect(refused.headers.connection).toBe('keep-alive');
    agent.destroy();
  });

  test('close it when nobody knows how much is coming', async () => {
    const connection = await openRaw(gateway.url);
    connection.send(head('/nowhere', 'Transfer-Encoding: chunked') + chunk(10));
    expect(await connection.answers(1)).toMatch(/^HTTP\/1\.1 404 .*connection: close/is);
    connection.socket.destroy();
  });
});

describe('Expect: 100-continue', () => {
  test('gets its leave when the body is wanted', async () => {
    const connection = await openRaw(gateway.url);
    connection.send(head('/api/v1/message/abc', 'Content-Length: 5', 'Expect: 100-continue'));
    expect(await connection.answers(1)).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    connection.send('hello');
    expect(await connection.answers(2)).toMatch(/HTTP\/1\.1 200 /);
    const received = gateway.upstreams.messages.calls.at(-1);
    expect([received?.body.toString(), received?.headers.expect]).toEqual(['hello', undefined]);
    connection.socket.destroy();
  });

  test.each([
    [413, '/api/v1/message/abc', `Content-Length: ${limit + 1}`],
    [404, '/nowhere', 'Content-Length: 5'],
    [401, '/api/v1/vault', 'Content-Length: 5'],
  ])('gets its %i at once, and never leave', async (status, path, length) => {
    const connection = await openRaw(gateway.url);
    const method = path.endsWith('vault') ? 'PUT' : 'POST';
    connection.send(head(path, length, 'Expect: 100-continue').replace('POST', method));
    expect(await connection.answers(1)).toMatch(
      new RegExp(`^HTTP/1\\.1 ${status} .*connection: close`, 'is'),
    );
    connection.socket.destroy();
  });

  test('gets its 404 at once when it is a HEAD, too', async () => {
    const connection = await openRaw(gateway.url);
    const start = performance.now();
    connection.send(head('/nowhere', 'Content-Length: 5', 'Expect: 100-continue').replace('POST', 'HEAD'));
    expect(await connection.answers(1)).toMatch(/^HTTP\/1\.1 404 /);
    expect(performance.now() - start).toBeLessThan(1_500);
    connection.socket.destroy();
  });

  test('any other expectation is not met and does no harm', async () => {
    const connection = await openRaw(gateway.url);
    connection.send(head('/api/v1/message/abc', 'Content-Length: 5', 'Expect: a miracle').concat('hello'));
    expect(await connection.answers(1)).toMatch(/^HTTP\/1\.1 200 /);
    connection.socket.destroy();
  });
});
