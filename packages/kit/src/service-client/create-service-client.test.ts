import { randomBytes } from 'node:crypto';
import { EventEmitter } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { openBlackHole } from '@expert-relay/testkit';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { systemClock } from '../clock/index.ts';
import { listen } from '../http/index.ts';
import { createLog } from '../log/index.ts';
import { createServiceClient, readJson, type ServiceCall, type ServiceClient } from './index.ts';

let server: Server;
let url: string;
let client: ServiceClient;
let createClient: (url: string, timeoutMs?: number) => ServiceClient;
let handler: RequestListener;
let logged: Record<string, unknown>[];
/** The ids of the calls that arrived. */
const received: unknown[] = [];

beforeEach(async () => {
  received.length = 0;
  logged = [];
  const destination = { write: (line: string) => void logged.push(JSON.parse(line)) };
  handler = (_request, response) => response.end();
  server = createServer((request, response) => {
    received.push(request.headers['x-request-id']);
    handler(request, response);
  });
  url = await listen(server, '127.0.0.1', 0);
  createClient = (url, timeoutMs = 60_000) =>
    createServiceClient({
      caller: 'caller',
      name: 'callee',
      url,
      clock: systemClock,
      keys: [{ id: 'test', secret: randomBytes(32) }],
      log: createLog('caller', { level: 'info', destination }),
      timeoutMs,
    });
  client = createClient(url);
});
afterEach(async () => {
  jest.restoreAllMocks();
  await client.stop?.();
  server.closeAllConnections();
  server.close();
});

const callOf = (callId: string, method = 'POST'): ServiceCall => ({
  method,
  path: '/messages/secret-id?q=private',
  route: '/messages/:id',
  principal: { kind: 'nobody' },
  callId,
});

/** Also waits until its connection is free: undici reuses it one turn of the event loop after the response. */
async function call(callId: string, method?: string): Promise<number | undefined> {
  const response = await client.call(callOf(callId, method));
  response.resume();
  await new Promise((resolve) => response.once('close', resolve));
  await pause(5);
  return response.statusCode;
}

test('a connection that is not made in time counts as not reached, also with another attempt', async () => {
  const blackHole = await openBlackHole();
  const lost = createClient(`http://127.0.0.1:${blackHole.port}`);
  try {
    const startedAt = performance.now();
    const error = await lost.call(callOf('first')).catch((problem: unknown) => problem);
    expect(error).toMatchObject({ code: 'unavailable', cause: { code: 'UND_ERR_CONNECT_TIMEOUT' } });
    // Two attempts. Without a limit, each takes the whole time for a response, a minute here.
    expect(performance.now() - startedAt).toBeLessThan(30_000);
    expect(logged).toHaveLength(1);
    expect(await lost.isReachable()).toBe(false);
  } finally {
    await lost.stop?.();
    blackHole.close();
  }
});

test('when an instance is silent, the next call uses no connection that was idle', async () => {
  const ports = new Map<unknown, number | undefined>();
  let release = () => {};
  handler = ({ headers, socket }, response) => {
    ports.set(headers['x-request-id'], socket.remotePort);
    if (headers['x-request-id'] === 'slow') release = () => response.end();
    else response.end();
  };
  await Promise.all([call('a'), call('b')]);
  const { setTimeout } = globalThis;
  let becomeSlow = () => {};
  const spy = jest.spyOn(globalThis, 'setTimeout').mockImplementation(((
    run: (...of: unknown[]) => void,
    ms: number,
    ...of: unknown[]
  ) => {
    if (ms === 2_000) becomeSlow = () => run(...of);
    return setTimeout(run, ms, ...of);
  }) as typeof setTimeout);
  const slow = call('slow');
  while (!ports.has('slow')) await pause(10);
  spy.mockRestore();
  becomeSlow();
  expect(await call('next')).toBe(200);
  expect(ports.get('next')).not.toBe(ports.get('a'));
  expect(ports.get('next')).not.toBe(ports.get('b'));
  release();
  expect(await slow).toBe(200);
});

test('a call whose kept-alive connection broke is repeated once with the same id, and not logged', async () => {
  await call('first');
  handler = (request) => {
    handler = (_request, response) => response.end();
    request.socket.destroy();
  };
  expect(await call('second')).toBe(200);
  expect(received).toEqual(['first', 'second', 'second']);
  expect(logged).toEqual([]);
});

test('a call that breaks on a new connection is not repeated, since it may have taken effect', async () => {
  handler = (request) => request.socket.destroy();
  await expect(call('first')).rejects.toMatchObject({ code: 'bad_gateway' });
  expect(received).toEqual(['first']);
});

test('a call without a response in time is not repeated', async () => {
  client = createClient(url, 1_000);
  await call('first');
  handler = () => {};
  await expect(call('second')).rejects.toMatchObject({ code: 'bad_gateway' });
  expect(received).toEqual(['first', 'second']);
});

test.each([
  ['POST', 'bad_gateway'],
  ['GET', 'unavailable'],
])('a %s that broke off, and then found the port closed, is %s', async (method, code) => {
  await call('first', method);
  handler = (request) => {
    server.close();
    server.closeIdleConnections();
    request.socket.destroy();
  };
  await expect(call('second', method)).rejects.toMatchObject({ code });
  expect(received).toEqual(['first', 'second']);
});

test.each([
  ['that breaks off', (request: IncomingMessage) => void request.socket.destroy()],
  ['without a response in time', () => {}],
])('a read %s is `unavailable`, since it has no effect', async (_, response) => {
  client = createClient(url, 200);
  handler = response;
  await expect(call('first', 'GET')).rejects.toMatchObject({ code: 'unavailable' });
});

describe('a service that cannot be reached is `unavailable`, since the call has not taken effect:', () => {
  test('its port is closed', async () => {
    await new Promise((resolve) => server.close(resolve));
    await expect(call('first')).rejects.toMatchObject({ code: 'unavailable' });
  });

  test('its name is unknown', async () => {
    const unreachable = createClient('http://no-such-host.invalid:8080');
    await expect(unreachable.call(callOf('first'))).rejects.toMatchObject({ code: 'unavailable' });
    expect(logged).toEqual([expect.objectContaining({ code: expect.stringMatching(/ENOTFOUND|EAI_AGAIN/) })]);
    expect(await unreachable.isReachable()).toBe(false);
    await unreachable.stop?.();
  });
});

test('a call waits for a restart once, also after its kept-alive connection broke', async () => {
  await call('first');
  handler = (request) => {
    handler = (_request, response) => response.end();
    const { port } = server.address() as AddressInfo;
    server.close();
    server.closeIdleConnections();
    request.socket.destroy();
    setTimeout(() => server.listen(port, '127.0.0.1'), 50);
  };
  expect(await call('second')).toBe(200);
});

describe('when the client stops, a call ends and is not repeated:', () => {
  test('before the response', async () => {
    await call('first');
    handler = () => void client.stop?.();
    await expect(call('second')).rejects.toMatchObject({ code: 'bad_gateway' });
    expect(received).toEqual(['first', 'second']);
  });

  test('in the pause before the next attempt', async () => {
    await new Promise((resolve) => server.close(resolve));
    const failed = call('first').catch((error) => error);
    await pause(50);
    await client.stop?.();
    expect(await failed).toMatchObject({ code: 'bad_gateway' });
  });
});

describe('when the client of the response leaves, the call is cancelled and nothing is logged:', () => {
  const response = () => new EventEmitter() as ServerResponse;

  test('before the call', async () => {
    const mine = Object.assign(response(), { closed: true });
    await expect(client.call({ ...callOf('first'), clientResponse: mine })).rejects.toMatchObject({
      code: 'ERR_STREAM_PREMATURE_CLOSE',
    });
    expect(received).toEqual([]);
    expect(logged).toEqual([]);
  });

  test('before the response', async () => {
    const mine = response();
    let ended = () => {};
    const isEnded = new Promise<void>((resolve) => {
      ended = resolve;
    });
    handler = (request) => {
      request.once('close', ended);
      mine.emit('close');
    };
    await expect(client.call({ ...callOf('first'), clientResponse: mine })).rejects.toMatchObject({
      code: 'ERR_STREAM_PREMATURE_CLOSE',
    });
    await isEnded;
    expect(logged).toEqual([]);
  });

  test('during the response', async () => {
    const mine = response();
    handler = (_request, response) => {
      response.writeHead(200, { 'content-length': 100 });
      response.write('half');
    };
    const received = await client.call({ ...callOf('first'), clientResponse: mine });
    mine.emit('close');
    await new Promise((resolve) => received.once('close', resolve));
    expect(logged).toEqual([]);
  });
});

test('a body is sent as JSON, or in bytes with the type of its headers', async () => {
  const bodies: unknown[] = [];
  handler = (request, response) => {
    let text = '';
    request.on('data', (piece) => {
      text += piece;
    });
    request.once('end', () => {
      bodies.push([request.headers['content-type'], request.headers['content-length'], text]);
      response.end();
    });
  };
  const post = { ...callOf('first'), method: 'POST' };
  for (const more of [
    { json: { a: 1 } },
    { body: Buffer.from('text'), headers: { 'content-type': 'text/plain' } },
  ]) {
    (await client.call({ ...post, ...more })).resume();
  }
  expect(bodies).toEqual([
    ['application/json', '7', '{"a":1}'],
    ['text/plain', '4', 'text'],
  ]);
});

describe('a failure is logged once, with its cause and no content of the call:', () => {
  const line = (code: string, reason: RegExp) => ({
    level: 'warn',
    service: 'caller',
    callee: 'callee',
    callId: 'first',
    method: 'POST',
    route: '/messages/:id',
    code,
    reason: expect.stringMatching(reason),
    ms: expect.any(Number),
    time: expect.any(String),
    msg: 'a call of another service failed',
  });

  test.each<[string, RequestListener, string, RegExp]>([
    ['a broken connection', (request) => request.socket.destroy(), 'UND_ERR_SOCKET', /closed/],
    ['no response in time', () => {}, 'UND_ERR_HEADERS_TIMEOUT', /Headers Timeout/],
    [
      'a response that is not HTTP',
      (request) => request.socket.end('nonsense private'),
      'HTTPParserError',
      /HTTP/,
    ],
  ])('%s, which is also the cause of the problem', async (_, response, code, reason) => {
    handler = response;
    if (code === 'UND_ERR_HEADERS_TIMEOUT') client = createClient(url, 200);
    const problem = await call('first').catch((error) => error);
    expect(problem).toMatchObject({ code: 'bad_gateway' });
    expect([problem.cause.code, problem.cause.name]).toContain(code);
    expect(JSON.stringify(problem)).not.toContain(code);
    expect(logged).toEqual([line(code, reason)]);
  });

  test('a closed port', async () => {
    await new Promise((resolve) => server.close(resolve));
    const problem = await call('first').catch((error) => error);
    expect(problem).toMatchObject({ code: 'unavailable', cause: { code: 'ECONNREFUSED' } });
    expect(logged).toEqual([line('ECONNREFUSED', /ECONNREFUSED/)]);
  });

  test('a body that is cut off', async () => {
    handler = (_request, response) => {
      response.writeHead(200, { 'content-length': 100 });
      response.write('half', () => response.destroy());
    };
    const read = readJson(await client.call(callOf('first')));
    await expect(read).rejects.toMatchObject({ code: 'bad_gateway', cause: { code: 'UND_ERR_SOCKET' } });
    expect(logged).toEqual([line('UND_ERR_SOCKET', /closed/)]);
  });

  test('a body that stops', async () => {
    client = createClient(url, 200);
    handler = (_request, response) => void response.writeHead(200, { 'content-length': 100 }).write('half');
    const read = readJson(await client.call(callOf('first')));
    await expect(read).rejects.toMatchObject({
      code: 'bad_gateway',
      cause: { code: 'UND_ERR_BODY_TIMEOUT' },
    });
    expect(logged).toEqual([line('UND_ERR_BODY_TIMEOUT', /Body Timeout/)]);
  });

  test('a body without an end', async () => {
    handler = (_request, response) => {
      const send = () => {
        if (!response.destroyed) response.write('x'.repeat(65_536), () => setImmediate(send));
      };
      send();
    };
    const read = readJson(await client.call(callOf('first')));
    await expect(read).rejects.toMatchObject({
      code: 'bad_gateway',
      cause: { code: 'ERR_RESPONSE_TOO_LARGE' },
    });
    expect(logged).toEqual([line('ERR_RESPONSE_TOO_LARGE', /more than 1048576 bytes/)]);
  });

  test('the path without its query, when the call has no template', async () => {
    handler = (request) => request.socket.destroy();
    const { route: _, ...rest } = callOf('first');
    await client.call({ ...rest, path: '/keys?q=private' }).catch(() => {});
    expect(logged).toEqual([expect.objectContaining({ route: '/keys' })]);
  });
});

test('a response may be read as slowly as its reader likes', async () => {
  client = createClient(url, 200);
  const size = 20_000_000;
  handler = (_request, response) => response.end('x'.repeat(size));
  const response = await client.call(callOf('first'));
  // Nothing more arrives once the buffer of the response is full.
  while (response.readableLength < response.readableHighWaterMark) await pause(5);
  await pause(600);
  let received = 0;
  for await (const piece of response) received += piece.length;
  expect(received).toBe(size);
  expect(logged).toEqual([]);
});

test('the end of a silent response that nothing reads is no error of this process', async () => {
  client = createClient(url, 200);
  handler = (_request, response) => response.writeHead(200, { 'content-length': 100 }).flushHeaders();
  const response = await client.call(callOf('first'));
  const closed = new Promise((resolve) => response.once('close', resolve));
  await closed;
  expect(response.readableEnded).toBe(false);
});

test('a response that the caller destroys is not a failure', async () => {
  handler = (_request, response) => {
    response.writeHead(200, { 'content-length': 100 });
    response.write('half');
  };
  const response = await client.call(callOf('first'));
  response.destroy();
  await new Promise((resolve) => response.once('close', resolve));
  expect(logged).toEqual([]);
});

test.each([
  [502, { error: 'principal_refused' }, 'principal_refused'],
  [502, { error: 'bad_gateway' }, 'bad_gateway'],
  [500, { error: 'internal' }, 'unavailable'],
  [503, { error: 'unavailable' }, 'unavailable'],
])('a %i with %j is reported as %s', async (status, body, code) => {
  handler = (_request, response) => response.writeHead(status).end(JSON.stringify(body));
  await expect(client.call(callOf('first')).then(readJson)).rejects.toEqual(
    expect.objectContaining({ code, headers: { 'retry-after': '5' } }),
  );
});
