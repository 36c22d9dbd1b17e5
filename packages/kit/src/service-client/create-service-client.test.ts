import { createServer, type RequestListener, type Server } from 'node:http';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { listen } from '../http/index.ts';
import { createServiceClient, type ServiceClient } from './index.ts';

let server: Server;
let client: ServiceClient;
let handler: RequestListener;
/** The calls that arrived, by their ids. */
const heard: unknown[] = [];

beforeEach(async () => {
  heard.length = 0;
  handler = (_request, response) => response.end();
  server = createServer((request, response) => {
    heard.push(request.headers['x-request-id']);
    handler(request, response);
  });
  const url = await listen(server, '127.0.0.1', 0);
  client = createServiceClient({ name: 'callee', url, sign: () => 'signed', headLimit: 200 });
});
afterEach(async () => {
  await client.stop?.();
  server.closeAllConnections();
  server.close();
});

async function call(callId: string): Promise<number | undefined> {
  const answer = await client.call({ method: 'GET', path: '/', principal: { kind: 'nobody' }, callId });
  answer.resume();
  await new Promise((resolve) => answer.once('close', resolve));
  return answer.statusCode;
}

test('a call whose kept-alive connection broke is repeated once, as the same call', async () => {
  await call('first');
  handler = (request) => {
    handler = (_request, response) => response.end();
    request.socket.destroy();
  };
  expect(await call('second')).toBe(200);
  expect(heard).toEqual(['first', 'second', 'second']);
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

test('nobody listens: unavailable', async () => {
  await new Promise((resolve) => server.close(resolve));
  await expect(call('first')).rejects.toMatchObject({ code: 'unavailable' });
});
