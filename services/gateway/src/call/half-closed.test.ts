import type { ServerResponse } from 'node:http';
import { eventually, openRaw, type RawConnection } from '@expert-relay/testkit';
import { afterEach, describe, expect, test } from '@jest/globals';
import { routes } from '../routes/index.ts';
import { useTestGateway } from '../testing/test-gateway.ts';

/** Here every call is answered, however long this machine takes. */
const gateway = useTestGateway({ halfClosedReadMs: 600_000 });
const impatient = useTestGateway({ halfClosedReadMs: 20 });
const opened: RawConnection[] = [];
afterEach(() => {
  for (const { socket } of opened.splice(0)) socket.destroy();
});

/** Sends bytes and ends this side of the connection, as `nc -N` does. */
async function sendAll(bytes: string): Promise<RawConnection> {
  const connection = await openRaw(gateway.url);
  opened.push(connection);
  connection.socket.end(Buffer.from(bytes, 'latin1'));
  return connection;
}

/** All that the relay sends before it closes the connection. */
async function responsesTo(bytes: string): Promise<RawConnection> {
  const connection = await sendAll(bytes);
  expect(await connection.closed()).toBe(true);
  return connection;
}

const request = (method: string, path: string, body = '', key = gateway.consumer.text) =>
  [
    `${method} ${path} HTTP/1.1`,
    'Host: x',
    `x-api-key: ${key}`,
    ...(body === '' ? [] : ['Content-Type: application/json', `Content-Length: ${body.length}`]),
    '',
    body,
  ].join('\r\n');
const submit = () => request('POST', '/api/v1/help', JSON.stringify({ apiKey: gateway.consumer.text }));
const countForwarded = () =>
  Object.values(gateway.upstreams).reduce((sum, { calls }) => sum + calls.length, 0);

describe('a client that ends its side of the connection after its request is answered, and the connection is closed:', () => {
  test.each(routes.map(({ method, path }) => [method, path]))('%s %s', async (method, path) => {
    const { statuses } = await responsesTo(request(method, path.replace(/:\w+/g, 'abc').replace('*', 'x')));
    expect(statuses).toHaveLength(1);
  });

  test.each(['GET', 'HEAD', 'OPTIONS', 'POST', 'PATCH'])('%s of an unknown path', async (method) => {
    expect((await responsesTo(request(method, '/nowhere'))).statuses).toHaveLength(1);
  });

  test('with a body', async () => {
    expect((await responsesTo(submit())).statuses).toEqual([200]);
    expect(gateway.upstreams.requests.calls.at(-1)?.method).toBe('POST');
  });

  test('with HTTP/1.0', async () => {
    const { received } = await responsesTo('GET /dashboard HTTP/1.0\r\n\r\n');
    expect(received).toMatch(/^HTTP\/1\.1 200 /);
  });

  test('whose response is large', async () => {
    const size = 3_000_000;
    gateway.upstreams.dashboard.handler = (_request, response) => response.end('a'.repeat(size));
    const { received } = await responsesTo(request('GET', '/dashboard'));
    expect(received.length).toBeGreaterThan(size);
  });

  test('two requests in one packet; a third is refused', async () => {
    const { statuses } = await responsesTo(submit() + request('GET', '/nowhere').repeat(3));
    expect(statuses).toEqual([200, 404, 429]);
  });
});

describe('a client that ends its side of the connection', () => {
  test('before it has sent anything: the connection is closed', async () => {
    expect((await responsesTo('')).received).toBe('');
  });

  test('after its response: the connection is closed', async () => {
    const connection = await openRaw(gateway.url);
    opened.push(connection);
    connection.send(request('GET', '/dashboard'));
    await connection.responses(1);
    connection.socket.end();
    expect(await connection.closed()).toBe(true);
    expect(connection.statuses).toEqual([200]);
  });

  test.each([
    ['a head', 'POST /api/v1/help HTTP/1.1\r\nHost: x\r\nContent-'],
    ['a body with a length', 'POST /api/v1/help HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{"apiKey"'],
    [
      'a chunked body',
      'POST /api/v1/help HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n9\r\n{"apiKey"\r\n',
    ],
    [
      'a body that waits for 100',
      'POST /api/v1/help HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\nExpect: 100-continue\r\n\r\n',
    ],
  ])('in the middle of %s: 400, and nothing is forwarded', async (_, bytes) => {
    const before = countForwarded();
    const { statuses } = await responsesTo(bytes);
    expect(statuses.filter((status) => status !== 100)).toEqual([400]);
    expect(countForwarded()).toBe(before);
    expect(await gateway.metric('relay_gateway_buffered_bytes')).toBe(0);
  });

  /** Sends a call, and ends this side once a service has it, and the client has this beginning of the response. */
  const callAndEnd = async (at: typeof gateway, method: string, path: string, body = '', begun = '') => {
    const calls: ServerResponse[] = [];
    let ended = 0;
    for (const upstream of Object.values(at.upstreams)) {
      upstream.handler = (call, response) => {
        call.resume();
        calls.push(response);
        response.once('close', () => ended++);
      };
    }
    const connection = await openRaw(at.url);
    opened.push(connection);
    connection.send(request(method, path, body, at.consumer.text));
    await eventually('the call arrives', () => calls.length === 1);
    if (begun) calls[0]?.write(begun);
    await connection.until('the beginning', () => connection.received.includes(begun));
    connection.socket.end();
    return { connection, response: calls[0], hasEnded: () => ended > 0 };
  };
  const read = (at: typeof gateway) => callAndEnd(at, 'GET', '/api/v1/messages/abc');
  const change = (at: typeof gateway) =>
    callAndEnd(at, 'POST', '/api/v1/help', JSON.stringify({ apiKey: at.consumer.text }));

  test.each<[string, () => ReturnType<typeof callAndEnd>]>([
    ['GET', () => read(impatient)],
    ['HEAD', () => callAndEnd(impatient, 'HEAD', '/dashboard')],
  ])('whose %s is not answered in time has left, and the call ends', async (_, call) => {
    const { connection, hasEnded } = await call();
    await eventually('the call to the service ends', hasEnded);
    expect(await connection.closed()).toBe(true);
    expect(connection.received).toBe('');
    expect(impatient.lines.at(-1)).toMatchObject({ status: 499 });
  });

  test('whose change takes longer than what only reads gets its response', async () => {
    const { connection, response, hasEnded } = await change(impatient);
    // The reading call of another client, which came later, is given up before it.
    const reading = await read(impatient);
    await eventually('the reading call ends', reading.hasEnded);
    expect(hasEnded()).toBe(false);
    response?.end('done');
    expect(await connection.closed()).toBe(true);
    expect(connection.statuses).toEqual([200]);
  });

  test('whose response has begun gets the rest, however long it takes', async () => {
    const { connection, response } = await callAndEnd(impatient, 'GET', '/api/v1/messages/abc', '', 'begun');
    const other = await read(impatient);
    await eventually('another call ends', other.hasEnded);
    response?.end('the rest');
    expect(await connection.closed()).toBe(true);
    expect(connection.received).toContain('the rest');
  });
});
