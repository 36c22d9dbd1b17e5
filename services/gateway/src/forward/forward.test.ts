import { once } from 'node:events';
import { request } from 'node:http';
import { eventually } from '@expert-relay/testkit';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { ask } from '../testing/ask.ts';
import { openRaw } from '../testing/raw-connection.ts';
import { startTestGateway, type TestGateway, type TestKey } from '../testing/test-gateway.ts';

let gateway: TestGateway;
let consumer: TestKey;
let provider: TestKey;

beforeAll(async () => {
  gateway = await startTestGateway();
  consumer = await gateway.makeKey('consumer');
  provider = await gateway.makeKey('provider');
});
afterAll(() => gateway.stop());
afterEach(() => {
  for (const upstream of Object.values(gateway.upstreams)) upstream.handler = undefined;
});

const received = (name: keyof TestGateway['upstreams'] = 'messages') => gateway.upstreams[name].calls.at(-1);

describe('a call reaches its service', () => {
  test('with its method, path, query and raw bytes as they came', async () => {
    const body = Buffer.from([0, 255, 10, 13, 123, 34]);
    const path = '/api/v1/message/a%7Eb?x=%20&y=[1]&x';
    await ask(gateway.url, { method: 'POST', path, headers: { 'x-api-key': consumer.text }, body });
    expect(received()).toMatchObject({ method: 'POST', url: path, body });
  });

  test.each([
    ['consumer', () => consumer],
    ['provider', () => provider],
  ] as const)('with a signed word that a %s key calls', async (kind, key) => {
    const { text, id, userId } = key();
    const path = '/api/v1/messages/abc?after=3';
    const answer = await ask(gateway.url, { path, headers: { 'x-api-key': text } });
    expect(received()?.stated).toEqual({
      principal: { kind, apiKeyId: id, userId, secret: { createdAt: expect.any(Number) } },
      callId: answer.headers['x-request-id'],
    });
  });

  test('as a submit, with the bytes that were parsed', async () => {
    const body = `{ "apiKey":"${consumer.text}",\n "question" : "\\u00e9" , "n": 1.0 }`;
    await ask(gateway.url, {
      method: 'POST',
      path: '/api/v1/help',
      headers: { 'content-type': 'application/json' },
      body,
    });
    expect(received('requests')?.body.toString()).toBe(body);
    expect(received('requests')?.stated?.principal).toMatchObject({
      kind: 'consumer',
      apiKeyId: consumer.id,
    });
  });

  test('as nobody, with cookies and where it came from, at the dashboard', async () => {
    await ask(gateway.url, {
      path: '/api/me',
      headers: {
        cookie: 'session=1',
        host: 'relay.example',
        'x-forwarded-for': '192.0.2.9',
        'x-forwarded-proto': 'gopher',
        forwarded: 'for=192.0.2.9',
        'x-real-ip': '192.0.2.9',
      },
    });
    const call = received('dashboard');
    expect(call?.stated?.principal).toEqual({ kind: 'nobody' });
    expect(call?.headers).toMatchObject({
      cookie: 'session=1',
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-proto': 'https',
      'x-forwarded-host': 'relay.example',
    });
    expect(call?.headers).not.toHaveProperty('forwarded');
    expect(call?.headers).not.toHaveProperty('x-real-ip');
  });

  test('without keys and cookies elsewhere', async () => {
    const headers = { 'x-api-key': consumer.text, cookie: 'session=1' };
    await ask(gateway.url, { path: '/api/v1/messages/abc', headers });
    expect(received()?.headers).not.toHaveProperty('x-api-key');
    expect(received()?.headers).not.toHaveProperty('cookie');
  });

  test('without what claims to be of the gateway, and without hop-by-hop headers', async () => {
    await ask(gateway.url, {
      path: '/api/v1/messages/abc',
      headers: {
        'x-api-key': consumer.text,
        'X-Relay-Principal': 'forged',
        'x-relay-anything': 'forged',
        connection: 'x-mine, keep-alive',
        'x-mine': 'of this hop',
        te: 'trailers',
        'proxy-authorization': 'Basic Zm9v',
        upgrade: 'h2c',
        'idempotency-key': 'kept',
      },
    });
    const { headers = {}, stated } = received() ?? {};
    expect(stated?.principal.kind).toBe('consumer');
    expect(headers['idempotency-key']).toBe('kept');
    for (const name of ['x-relay-anything', 'x-mine', 'te', 'proxy-authorization', 'upgrade']) {
      expect(headers).not.toHaveProperty(name);
    }
  });

  test.each(['GET', 'DELETE'])('with the body of a %s framed, whatever Connection names', async (method) => {
    const path = method === 'GET' ? '/api/keys' : '/api/keys/1';
    const smuggled = 'POST /api/keys HTTP/1.1\r\nHost: x\r\ncontent-length: 0\r\n\r\n';
    const before = gateway.upstreams.dashboard.calls.length;
    for (const framing of ['Transfer-Encoding: chunked', `Content-Length: ${smuggled.length}`]) {
      const connection = await openRaw(gateway.url);
      const body = framing.startsWith('T')
        ? `${smuggled.length.toString(16)}\r\n${smuggled}\r\n0\r\n\r\n`
        : smuggled;
      const head = [
        `${method} ${path} HTTP/1.1`,
        'Host: x',
        framing,
        'Connection: content-length, transfer-encoding',
      ];
      connection.send(`${head.join('\r\n')}\r\n\r\n${body}`);
      expect(await connection.answers(1)).toMatch(/^HTTP\/1\.1 200 /);
      connection.socket.destroy();
    }
    const calls = gateway.upstreams.dashboard.calls.slice(before);
    expect(calls.map((call) => [call.method, call.body.toString()])).toEqual([
      [method, smuggled],
      [method, smuggled],
    ]);
  });
});

describe('the answer comes back', () => {
  test('with its own headers, cookies and stricter policy, without hop-by-hop and internal ones', async () => {
    gateway.upstreams.dashboard.handler = (_request, response) => {
      response.writeHead(418, {
        'set-cookie': ['a=1', 'b=2'],
        'content-security-policy': "default-src 'none'",
        'referrer-policy': 'unsafe-url',
        'x-frame-options': 'ALLOWALL',
        'access-control-allow-origin': '*',
        'x-relay-secret': 'inside',
        'x-request-id': 'other',
        'x-powered-by': 'something',
        vary: 'Accept-Encoding',
        etag: '"1"',
        connection: 'x-inside',
        'x-inside': 'of that hop',
      });
      response.end('short and stout');
    };
    const { status, headers, body } = await ask(gateway.url, { path: '/dashboard' });
    expect([status, body]).toEqual([418, 'short and stout']);
    expect(headers).toMatchObject({
      'set-cookie': ['a=1', 'b=2'],
      'content-security-policy': "default-src 'none'",
      'referrer-policy': 'origin-when-cross-origin',
      'x-frame-options': 'DENY',
      vary: 'Origin, Accept-Encoding',
      etag: '"1"',
    });
    expect(headers['x-request-id']).not.toBe('other');
    for (const name of ['access-control-allow-origin', 'x-relay-secret', 'x-inside', 'x-powered-by']) {
      expect(headers).not.toHaveProperty(name);
    }
  });

  test('in pieces, as they are made, and a slow reader slows the service', async () => {
    let written = 0;
    gateway.upstreams.messages.handler = (request, response) => {
      const piece = Buffer.alloc(65_536, 'a');
      const fill = () => {
        while (!request.socket.destroyed && response.write(piece)) written += piece.length;
      };
      response.on('drain', fill);
      response.writeHead(200);
      fill();
    };
    const call = request(`${gateway.url}/api/v1/messages/abc`, { headers: { 'x-api-key': consumer.text } });
    call.end();
    const [answer] = await once(call, 'response');
    await once(answer, 'readable');
    await eventually('the service waits', async () => {
      const before = written;
      await new Promise((resolve) => setTimeout(resolve, 200));
      return written === before;
    });
    expect(written).toBeLessThan(64 * 1_048_576);
    call.destroy();
    await eventually(
      'the service hears that the client is gone',
      () => gateway.upstreams.messages.sockets.size === 0,
    );
  });

  test('cut off when the service breaks off in the middle', async () => {
    gateway.upstreams.messages.handler = (_request, response) => {
      response.writeHead(200, { 'content-length': 100 });
      response.write('half', () => response.destroy());
    };
    const call = ask(gateway.url, { path: '/api/v1/messages/abc', headers: { 'x-api-key': consumer.text } });
    await expect(call).rejects.toThrow(/aborted|hang up|reset/i);
  });
});

describe('a client that goes away', () => {
  test('before the answer: the call to the service ends', async () => {
    let ended = false;
    gateway.upstreams.messages.handler = (_request, response) => {
      response.once('close', () => {
        ended = true;
      });
    };
    const call = request(`${gateway.url}/api/v1/messages/abc`, { headers: { 'x-api-key': consumer.text } });
    call.on('error', () => {});
    call.end();
    await eventually('the call arrives', () => gateway.upstreams.messages.sockets.size > 0);
    await new Promise((resolve) => setTimeout(resolve, 100));
    call.destroy();
    await eventually('the service hears of it', () => ended);
    expect(gateway.lines.at(-1)).toMatchObject({ status: 499 });
  });
});
