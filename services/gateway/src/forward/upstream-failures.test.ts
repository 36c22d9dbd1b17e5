import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '@expert-relay/testkit';
import { describe, expect, jest, test } from '@jest/globals';
import { ask } from '../testing/ask.ts';
import { useTestGateway } from '../testing/test-gateway.ts';

const gateway = useTestGateway();

const upstream = () => gateway.upstreams.messages;
const list = () =>
  ask(gateway.url, { path: '/api/v1/messages/abc', headers: { 'x-api-key': gateway.consumer.text } });
const send = (body: string | Buffer) =>
  ask(gateway.url, {
    method: 'POST',
    path: '/api/v1/message/abc',
    headers: { 'x-api-key': gateway.consumer.text, 'transfer-encoding': 'chunked' },
    body,
  });
/** Opens a kept-alive connection to the service. */
const openConnection = async () => {
  await list();
  await eventually('a connection is kept', () => upstream().sockets.size > 0);
};
/** Makes the service close a connection as soon as a call arrives over it. Returns the ids of these calls. */
const breakConnections = (times = 1) => {
  const callIds: (string | undefined)[] = [];
  let left = times;
  upstream().handler = (request) => {
    callIds.push(request.headers['x-request-id']?.toString());
    if (--left === 0) upstream().handler = undefined;
    request.socket.destroy();
  };
  return callIds;
};

describe('a call whose kept-alive connection breaks', () => {
  test('is repeated with the same id, and succeeds', async () => {
    await openConnection();
    const callIds = breakConnections();
    const response = await list();
    expect(response.status).toBe(200);
    expect(upstream().calls.at(-1)?.verified?.callId).toBe(response.headers['x-request-id']);
    expect(callIds).toEqual([response.headers['x-request-id']]);
  });

  test('is repeated with its whole body', async () => {
    await openConnection();
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

  test('is repeated once, not twice', async () => {
    await openConnection();
    const callIds = breakConnections(2);
    const response = await list();
    expect([response.status, response.json.error]).toEqual([503, 'unavailable']);
    expect(new Set(callIds)).toEqual(new Set([response.headers['x-request-id']]));
    expect(callIds).toHaveLength(2);
  });
});

test('a call whose response was started is not repeated', async () => {
  await openConnection();
  let calls = 0;
  upstream().handler = (_request, response) => {
    calls++;
    response.writeHead(200, { 'content-length': 100 });
    response.write('half', () => response.destroy());
  };
  await expect(list()).rejects.toThrow();
  expect(calls).toBe(1);
});

test('a call that breaks on a new connection is not repeated: 502', async () => {
  await upstream().stop();
  await upstream().start();
  const callIds = breakConnections();
  const response = await send('once');
  expect([response.status, response.json.error]).toEqual([502, 'bad_gateway']);
  expect(response.json.detail).toContain('not known whether the call took effect');
  expect(gateway.lines).toContainEqual(
    expect.objectContaining({
      level: 'warn',
      msg: 'a call of another service failed',
      callee: 'messages',
      callId: response.headers['x-request-id'],
      route: '/api/v1/message/:requestId',
      code: 'UND_ERR_SOCKET',
    }),
  );
  await pause(200);
  expect(callIds).toHaveLength(1);
});

describe('a service whose port is closed', () => {
  test('is 503 with Retry-After', async () => {
    await upstream().stop();
    const response = await send('gone');
    await upstream().start();
    expect([response.status, response.json.error]).toEqual([503, 'unavailable']);
    expect(response.headers['retry-after']).toMatch(/^\d+$/);
  });

  test('is called again 100 ms later', async () => {
    await upstream().stop();
    const { setTimeout } = globalThis;
    let restart: Promise<void> | undefined;
    const spy = jest.spyOn(globalThis, 'setTimeout').mockImplementation(((...args: [() => void, number]) => {
      // The service starts again in the pause before the second attempt.
      if (args[1] === 100) restart ??= upstream().start();
      return setTimeout(...args);
    }) as typeof setTimeout);
    const { status } = await send('late');
    spy.mockRestore();
    await restart;
    expect(status).toBe(200);
    expect(upstream().calls.at(-1)?.body.toString()).toBe('late');
  });
});
