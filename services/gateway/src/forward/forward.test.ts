import { once } from 'node:events';
import { request } from 'node:http';
import { eventually, openRaw } from '@expert-relay/testkit';
import { describe, expect, test } from '@jest/globals';
import { ask } from '../testing/ask.ts';
import { type TestGateway, useTestGateway } from '../testing/test-gateway.ts';

const gateway = useTestGateway();

const received = (name: keyof TestGateway['upstreams'] = 'messages') => gateway.upstreams[name].calls.at(-1);

describe('a call reaches its service', () => {
  test('with unchanged method, path, query and body', async () => {
    const body = Buffer.from([0, 255, 10, 13, 123, 34]);
    const path = '/api/v1/message/a%7Eb?x=%20&y=[1]&x';
    await ask(gateway.url, { method: 'POST', path, headers: { 'x-api-key': gateway.consumer.text }, body });
    expect(received()).toMatchObject({ method: 'POST', url: path, body });
  });

  test.each(['consumer', 'provider'] as const)('with a signed principal for a %s key', async (kind) => {
    const { text, id, userId } = gateway[kind];
    const path = '/api/v1/messages/abc?after=3';
    const response = await ask(gateway.url, { path, headers: { 'x-api-key': text } });
    expect(received()?.verified).toEqual({
      principal: { kind, apiKeyId: id, userId, secret: { createdAt: expect.any(Number) } },
      callId: response.headers['x-request-id'],
    });
  });

  test('with an unchanged body, also if the gateway has parsed it', async () => {
    const body = `{ "apiKey":"${gateway.consumer.text}",\n "question" : "\\u00e9" , "n": 1.0 }`;
    await ask(gateway.url, {
      method: 'POST',
      path: '/api/v1/help',
      headers: { 'content-type': 'application/json' },
      body,
    });
    expect(received('requests')?.body.toString()).toBe(body);
    expect(received('requests')?.verified?.principal).toMatchObject({
      kind: 'consumer',
      apiKeyId: gateway.consumer.id,
    });
  });

  test('at the dashboard, with cookies and the host of the call, and with the principal `nobody`', async () => {
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
    expect(call?.verified?.principal).toEqual({ kind: 'nobody' });
    expect(call?.headers).toMatchObject({
      cookie: 'session=1',
      'x-forwarded-host': 'relay.example',
    });
    for (const name of ['x-forwarded-for', 'x-forwarded-proto', 'forwarded'])
      expect(call?.headers).not.toHaveProperty(name);
    expect(call?.headers).not.toHaveProperty('x-real-ip');
  });

  test('at other services, without key and cookies', async () => {
    const headers = { 'x-api-key': gateway.consumer.text, cookie: 'session=1' };
    await ask(gateway.url, { path: '/api/v1/messages/abc', headers });
    expect(received()?.headers).not.toHaveProperty('x-api-key');
    expect(received()?.headers).not.toHaveProperty('cookie');
  });

  test('without headers that only the gateway may set, and without hop-by-hop headers', async () => {
    await ask(gateway.url, {
      path: '/api/v1/messages/abc',
      headers: {
        'x-api-key': gateway.consumer.text,
        'X-Relay-Principal': 'forged',
        'x-relay-anything': 'forged',
        connection: 'x-mine, keep-alive',
        'x-mine': 'for this connection',
        te: 'trailers',
        'proxy-authorization': 'Basic Zm9v',
        upgrade: 'h2c',
        'idempotency-key': 'kept',
      },
    });
    const { headers = {}, verified } = received() ?? {};
    expect(verified?.principal.kind).toBe('consumer');
    expect(headers['idempotency-key']).toBe('kept');
    for (const name of ['x-relay-anything', 'x-mine', 'te', 'proxy-authorization', 'upgrade']) {
      expect(headers).not.toHaveProperty(name);
    }
  });

  test.each(['POST', 'DELETE'])(
    'with the length of the body of a %s, even if Connection names that header',
    async (method) => {
      const path = method === 'POST' ? '/api/keys' : '/api/keys/1';
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
        expect(await connection.responses(1)).toMatch(/^HTTP\/1\.1 200 /);
        connection.socket.destroy();
      }
      const calls = gateway.upstreams.dashboard.calls.slice(before);
      expect(calls.map((call) => [call.method, call.body.toString()])).toEqual([
        [method, smuggled],
        [method, smuggled],
      ]);
    },
  );
});

describe('the client gets the response', () => {
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
        'x-inside': 'for that connection',
      });
      response.end('a body');
    };
    const { status, headers, body } = await ask(gateway.url, { path: '/dashboard' });
    expect([status, body]).toEqual([418, 'a body']);
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

  test('in pieces, and a client that does not read slows down the service', async () => {
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
    const call = request(`${gateway.url}/api/v1/messages/abc`, {
      headers: { 'x-api-key': gateway.consumer.text },
    });
    call.end();
    const [response] = await once(call, 'response');
    await once(response, 'readable');
    await eventually('the service waits', async () => {
      const before = written;
      await new Promise((resolve) => setTimeout(resolve, 200));
      return written === before;
    });
    expect(written).toBeLessThan(64 * 1_048_576);
    call.destroy();
    await eventually('the call to the service ends', () => gateway.upstreams.messages.sockets.size === 0);
  });

  test('cut off when the service fails in the middle of it', async () => {
    gateway.upstreams.messages.handler = (_request, response) => {
      response.writeHead(200, { 'content-length': 100 });
      response.write('half', () => response.destroy());
    };
    const call = ask(gateway.url, {
      path: '/api/v1/messages/abc',
      headers: { 'x-api-key': gateway.consumer.text },
    });
    await expect(call).rejects.toThrow(/aborted|hang up|reset/i);
  });
});

describe('when a client leaves', () => {
  test('before the response, the call to the service ends', async () => {
    let [arrived, ended] = [false, false];
    gateway.upstreams.messages.handler = (_request, response) => {
      arrived = true;
      response.once('close', () => {
        ended = true;
      });
    };
    const call = request(`${gateway.url}/api/v1/messages/abc`, {
      headers: { 'x-api-key': gateway.consumer.text },
    });
    call.on('error', () => {});
    call.end();
    await eventually('the call arrives', () => arrived);
    call.destroy();
    await eventually('the call to the service ends', () => ended);
    expect(gateway.lines.at(-1)).toMatchObject({ status: 499 });
  });
});
