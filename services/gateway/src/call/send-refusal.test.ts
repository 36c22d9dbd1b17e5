import { Agent } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { eventually, openRaw } from '@expert-relay/testkit';
import { describe, expect, test } from '@jest/globals';
import { ask } from '../testing/ask.ts';
import { useTestGateway } from '../testing/test-gateway.ts';

const bodyLimit = 1_048_576;
const gateway = useTestGateway();

const head = (path: string, ...headers: string[]) =>
  [
    `POST ${path} HTTP/1.1`,
    'Host: relay.example',
    `x-api-key: ${gateway.consumer.text}`,
    ...headers,
    '',
    '',
  ].join('\r\n');
const chunk = (size: number) => `${size.toString(16)}\r\n${'a'.repeat(size)}\r\n`;
const send = (size: number, headers: Record<string, string | number>) =>
  ask(gateway.url, {
    method: 'POST',
    path: '/api/v1/message/abc',
    headers: { 'x-api-key': gateway.consumer.text, ...headers },
    body: Buffer.alloc(size, 'a'),
  });

describe('a body of exactly 1 MiB is forwarded', () => {
  test.each([
    ['with its length', { 'content-length': bodyLimit }],
    ['chunked', { 'transfer-encoding': 'chunked' }],
  ])('%s', async (_, headers) => {
    expect((await send(bodyLimit, headers)).status).toBe(200);
    const received = gateway.upstreams.messages.calls.at(-1);
    expect(received?.body.equals(Buffer.alloc(bodyLimit, 'a'))).toBe(true);
  });

  test('as a submit', async () => {
    const body = JSON.stringify({ apiKey: gateway.consumer.text, question: '' });
    const full = JSON.stringify({
      apiKey: gateway.consumer.text,
      question: 'q'.repeat(bodyLimit - body.length),
    });
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
    ['with its length', { 'content-length': bodyLimit + 1 }],
    ['chunked', { 'transfer-encoding': 'chunked' }],
  ])('%s', async (_, headers) => {
    const before = gateway.upstreams.messages.calls.length;
    const response = await send(bodyLimit + 1, headers);
    expect([response.status, response.json.error]).toEqual([413, 'payload_too_large']);
    expect(response.headers.connection).toBe('close');
    expect(gateway.upstreams.messages.calls).toHaveLength(before);
  });

  test('before the body is read, if the length is declared', async () => {
    const connection = await openRaw(gateway.url);
    connection.send(head('/api/v1/message/abc', 'Content-Length: 99999999999'));
    expect(await connection.responses(1)).toMatch(/^HTTP\/1\.1 413 .*"error":"payload_too_large"/s);
    connection.socket.destroy();
  });

  test('as soon as the byte arrives, while the client still sends', async () => {
    const connection = await openRaw(gateway.url);
    connection.send(head('/api/v1/message/abc', 'Transfer-Encoding: chunked'));
    connection.send(chunk(bodyLimit));
    await pause(100);
    expect(connection.received).toBe('');
    connection.send(chunk(1));
    expect(await connection.responses(1)).toMatch(/^HTTP\/1\.1 413 /);
    connection.socket.destroy();
  });
});

describe('a client that continues to send', () => {
  test('receives the 413, even if it sends 8 MiB before it reads', async () => {
    const response = await send(8 * bodyLimit, { 'content-length': 8 * bodyLimit });
    expect(response.status).toBe(413);
  });

  test('is disconnected after 2 s', async () => {
    const connection = await openRaw(gateway.url);
    connection.send(head('/api/v1/message/abc', 'Transfer-Encoding: chunked'));
    const piece = chunk(bodyLimit);
    const sending = setInterval(() => connection.socket.writableNeedDrain || connection.send(piece), 1);
    const closed = await connection.closed(30_000);
    clearInterval(sending);
    connection.socket.destroy();
    expect(closed).toBe(true);
    expect(connection.received).toMatch(/^HTTP\/1\.1 413 /);
    expect(connection.socket.bytesWritten).toBeLessThan(64 * bodyLimit);
  });

  test('is disconnected after 2 s, even if it sends nothing more', async () => {
    const connection = await openRaw(gateway.url);
    connection.send(head('/api/v1/message/abc', `Content-Length: ${bodyLimit + 1}`));
    await connection.responses(1);
    expect(await connection.closed(30_000)).toBe(true);
  });
});

describe('other refusals before the body was read', () => {
  test('leave the connection open when the rest of the body is short and known', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const call = { method: 'POST', path: '/api/v1/message/abc', body: 'a'.repeat(100_000), agent };
    const refused = await ask(gateway.url, call);
    const accepted = await ask(gateway.url, { ...call, headers: { 'x-api-key': gateway.consumer.text } });
    expect([refused.status, accepted.status]).toEqual([401, 200]);
    expect(refused.headers.connection).toBe('keep-alive');
    agent.destroy();
  });

  test('close it when the length of the body is unknown', async () => {
    const connection = await openRaw(gateway.url);
    connection.send(head('/nowhere', 'Transfer-Encoding: chunked') + chunk(10));
    expect(await connection.responses(1)).toMatch(/^HTTP\/1\.1 404 .*connection: close/is);
    connection.socket.destroy();
  });
});

describe('Expect: 100-continue', () => {
  test('gets 100 when the gateway reads the body', async () => {
    const connection = await openRaw(gateway.url);
    connection.send(head('/api/v1/message/abc', 'Content-Length: 5', 'Expect: 100-continue'));
    expect(await connection.responses(1)).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    connection.send('hello');
    expect(await connection.responses(2)).toMatch(/HTTP\/1\.1 200 /);
    const received = gateway.upstreams.messages.calls.at(-1);
    expect([received?.body.toString(), received?.headers.expect]).toEqual(['hello', undefined]);
    connection.socket.destroy();
  });

  test.each([
    [413, '/api/v1/message/abc', `Content-Length: ${bodyLimit + 1}`],
    [404, '/nowhere', 'Content-Length: 5'],
    [401, '/api/v1/vault', 'Content-Length: 5'],
  ])('gets %i at once, and not 100', async (status, path, length) => {
    const connection = await openRaw(gateway.url);
    const method = path.endsWith('vault') ? 'PUT' : 'POST';
    connection.send(head(path, length, 'Expect: 100-continue').replace('POST', method));
    expect(await connection.responses(1)).toMatch(
      new RegExp(`^HTTP/1\\.1 ${status} .*connection: close`, 'is'),
    );
    connection.socket.destroy();
  });

  test('gets 404 at once, also for HEAD', async () => {
    // A busy machine may be slow once, but the gateway would wait 2 s for the body each time.
    await eventually('a fast response', async () => {
      const connection = await openRaw(gateway.url);
      const start = performance.now();
      connection.send(head('/nowhere', 'Content-Length: 5', 'Expect: 100-continue').replace('POST', 'HEAD'));
      expect(await connection.responses(1)).toMatch(/^HTTP\/1\.1 404 /);
      connection.socket.destroy();
      return performance.now() - start < 1_500;
    });
  });

  test('another expectation is ignored', async () => {
    const connection = await openRaw(gateway.url);
    connection.send(head('/api/v1/message/abc', 'Content-Length: 5', 'Expect: something').concat('hello'));
    expect(await connection.responses(1)).toMatch(/^HTTP\/1\.1 200 /);
    connection.socket.destroy();
  });
});
