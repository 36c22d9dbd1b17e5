import { createServer, type RequestListener, type Server } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { listen } from '../http/index.ts';
import { createLog } from '../log/index.ts';
import { createServiceClient, readAnswer, type ServiceCall, type ServiceClient } from './index.ts';

let server: Server;
let client: ServiceClient;
let handler: RequestListener;
let logged: Record<string, unknown>[];
/** The calls that arrived, by their ids. */
const heard: unknown[] = [];

beforeEach(async () => {
  heard.length = 0;
  logged = [];
  const destination = { write: (line: string) => void logged.push(JSON.parse(line)) };
  handler = (_request, response) => response.end();
  server = createServer((request, response) => {
    heard.push(request.headers['x-request-id']);
    handler(request, response);
  });
  const url = await listen(server, '127.0.0.1', 0);
  client = createServiceClient({
    name: 'callee',
    url,
    sign: () => 'signed',
    log: createLog('caller', { level: 'info', destination }),
    headLimit: 200,
  });
});
afterEach(async () => {
  await client.stop?.();
  server.closeAllConnections();
  server.close();
});

const callOf = (callId: string): ServiceCall => ({
  method: 'GET',
  path: '/messages/secret-id?q=private',
  route: '/messages/:id',
  principal: { kind: 'nobody' },
  callId,
});

async function call(callId: string): Promise<number | undefined> {
  const answer = await client.call(callOf(callId));
  answer.resume();
  await new Promise((resolve) => answer.once('close', resolve));
  return answer.statusCode;
}

test('a call whose kept-alive connection broke is repeated once, as the same call, and not logged', async () => {
  await call('first');
  handler = (request) => {
    handler = (_request, response) => response.end();
    request.socket.destroy();
  };
  expect(await call('second')).toBe(200);
  expect(heard).toEqual(['first', 'second', 'second']);
  expect(logged).toEqual([]);
});

test('one that breaks over a new connection is not: nobody knows what became of it', async () => {
  handler = (request) => request.socket.destroy();
  await expect(call('first')).rejects.toMatchObject({ code: 'bad_gateway' });
  expect(heard).toEqual(['first']);
});

test('nor is one that is not answered in time', async () => {
  await call('first');
  handler = () => {};
  await expect(call('second')).rejects.toMatchObject({ code: 'bad_gateway' });
  expect(heard).toEqual(['first', 'second']);
});

test('nothing listens: unavailable', async () => {
  await new Promise((resolve) => server.close(resolve));
  await expect(call('first')).rejects.toMatchObject({ code: 'unavailable' });
});

describe('a failure is logged once, with what failed and nothing of the call,', () => {
  const line = (code: string, reason: RegExp) => ({
    level: 'warn',
    service: 'caller',
    callee: 'callee',
    callId: 'first',
    method: 'GET',
    route: '/messages/:id',
    code,
    reason: expect.stringMatching(reason),
    ms: expect.any(Number),
    time: expect.any(String),
    msg: 'a call of another service failed',
  });

  test.each<[string, RequestListener, string, RegExp]>([
    ['a broken connection', (request) => request.socket.destroy(), 'ECONNRESET', /hang up/],
    ['no answer in time', () => {}, 'ETIMEDOUT', /no answer within 200 ms/],
    [
      'an answer that is not HTTP',
      (request) => request.socket.end('nonsense private'),
      'HPE_INVALID_CONSTANT',
      /^Parse Error/,
    ],
  ])('%s: and kept as the cause', async (_, answer, code, reason) => {
    handler = answer;
    const problem = await call('first').catch((error) => error);
    expect(problem).toMatchObject({ code: 'bad_gateway', cause: { code } });
    expect(JSON.stringify(problem)).not.toContain(code);
    expect(logged).toEqual([line(code, reason)]);
  });

  test('nothing that listens', async () => {
    await new Promise((resolve) => server.close(resolve));
    const problem = await call('first').catch((error) => error);
    expect(problem).toMatchObject({ code: 'unavailable', cause: { code: 'ECONNREFUSED' } });
    expect(logged).toEqual([line('ECONNREFUSED', /ECONNREFUSED/)]);
  });

  test('a body that breaks off', async () => {
    handler = (_request, response) => {
      response.writeHead(200, { 'content-length': 100 });
      response.write('half', () => response.destroy());
    };
    const read = readAnswer(await client.call(callOf('first')));
    await expect(read).rejects.toMatchObject({ code: 'bad_gateway', cause: { code: 'ECONNRESET' } });
    expect(logged).toEqual([line('ECONNRESET', /aborted/)]);
  });

  test('without a template its path, without the query', async () => {
    handler = (request) => request.socket.destroy();
    const { route: _, ...rest } = callOf('first');
    await client.call({ ...rest, path: '/keys?q=private' }).catch(() => {});
    expect(logged).toEqual([expect.objectContaining({ route: '/keys' })]);
  });
});

test('an answer that this side gives up is no failure', async () => {
  handler = (_request, response) => {
    response.writeHead(200, { 'content-length': 100 });
    response.write('half');
  };
  const answer = await client.call(callOf('first'));
  answer.destroy();
  await new Promise((resolve) => answer.once('close', resolve));
  expect(logged).toEqual([]);
});

test.each([
  [502, { error: 'principal_refused' }, 'principal_refused'],
  [502, { error: 'bad_gateway' }, 'bad_gateway'],
  [500, { error: 'internal' }, 'unavailable'],
  [503, { error: 'unavailable' }, 'unavailable'],
])('a %i with %j is passed on as %s', async (status, body, code) => {
  handler = (_request, response) => response.writeHead(status).end(JSON.stringify(body));
  await expect(client.call(callOf('first')).then(readAnswer)).rejects.toEqual(
    expect.objectContaining({ code, headers: { 'retry-after': '5' } }),
  );
});
