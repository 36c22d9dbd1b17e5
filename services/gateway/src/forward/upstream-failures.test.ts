import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '@expert-relay/testkit';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { ask } from '../testing/ask.ts';
import { startTestGateway, type TestGateway } from '../testing/test-gateway.ts';

let gateway: TestGateway;
let key: string;

beforeAll(async () => {
  gateway = await startTestGateway();
  key = (await gateway.makeKey('consumer')).text;
});
afterAll(() => gateway.stop());
afterEach(() => {
  upstream().handler = undefined;
});

const upstream = () => gateway.upstreams.messages;
const list = () => ask(gateway.url, { path: '/api/v1/messages/abc', headers: { 'x-api-key': key } });
const send = (body: string | Buffer) =>
  ask(gateway.url, {
    method: 'POST',
    path: '/api/v1/message/abc',
    headers: { 'x-api-key': key, 'transfer-encoding': 'chunked' },
    body,
  });
/** Leaves one kept-alive connection to the service behind. */
const warmUp = async () => {
  await list();
  await eventually('a connection is kept', () => upstream().sockets.size > 0);
};
/** The service ends a connection as soon as something arrives on it, as one that is just going does. */
const breakOnce = (times = 1) => {
  const seen: (string | undefined)[] = [];
  let left = times;
  upstream().handler = (request) => {
    seen.push(request.headers['x-request-id']?.toString());
    if (--left === 0) upstream().handler = undefined;
    request.socket.destroy();
  };
  return seen;
};

describe('a kept-alive connection that breaks under a call', () => {
  test('costs the caller nothing: the call is made again, with the same id', async () => {
    await warmUp();
    const seen = breakOnce();
    const answer = await list();
    expect(answer.status).toBe(200);
    expect(upstream().calls.at(-1)?.stated?.callId).toBe(answer.headers['x-request-id']);
    expect(seen).toEqual([answer.headers['x-request-id']]);
  });

  test('also when it was a write: all of its bytes go out again', async () => {
    await warmUp();
    const body = Buffer.alloc(900_000, 'b');
    upstream().handler = (request) => {
      request.once('data', () => {
        upstream().handler = undefined;
        request.socket.destroy();
      });
    };
    expect((await send(body)).status).toBe(200);
    expect(upstream().calls.at(-1)?.body.equals(body)).toBe(true);
  });

  test('is made up for once, not twice', async () => {
    await warmUp();
    const seen = breakOnce(2);
    const answer = await list();
    expect([answer.status, answer.json.error]).toEqual([502, 'bad_gateway']);
    expect(new Set(seen)).toEqual(new Set([answer.headers['x-request-id']]));
    expect(seen).toHaveLength(2);
  });
});

test('a call whose answer has begun is never made again', async () => {
  await warmUp();
  let calls = 0;
  upstream().handler = (_request, response) => {
    calls++;
    response.writeHead(200, { 'content-length': 100 });
    response.write('half', () => response.destroy());
  };
  await expect(list()).rejects.toThrow();
  expect(calls).toBe(1);
});

test('a call that breaks on a new connection is never made again: 502', async () => {
  await upstream().stop();
  await upstream().start();
  const seen = breakOnce();
  const answer = await send('once');
  expect([answer.status, answer.json.error]).toEqual([502, 'bad_gateway']);
  expect(answer.json.detail).toContain('not known whether the call took effect');
  expect(gateway.lines).toContainEqual(
    expect.objectContaining({
      level: 'warn',
      msg: 'a call of another service failed',
      callee: 'messages',
      callId: answer.headers['x-request-id'],
      route: '/api/v1/message/:requestId',
      code: 'ECONNRESET',
    }),
  );
  await pause(200);
  expect(seen).toHaveLength(1);
});

describe('a service whose port is closed', () => {
  test('is 503 with Retry-After', async () => {
    await upstream().stop();
    const answer = await send('gone');
    await upstream().start();
    expect([answer.status, answer.json.error]).toEqual([503, 'unavailable']);
    expect(answer.headers['retry-after']).toMatch(/^\d+$/);
  });

  test('is called once more 100 ms later', async () => {
    await upstream().stop();
    const answer = send('late');
    await pause(50);
    await upstream().start();
    expect((await answer).status).toBe(200);
    expect(upstream().calls.at(-1)?.body.toString()).toBe('late');
  });
});
