import { request } from 'node:http';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { ErrorRequestHandler } from 'express';
import { createLog } from '../log/index.ts';
import { createHttpServer } from './create-http-server.ts';
import { handleErrors } from './handle-errors.ts';
import { readBody } from './read-body.ts';
import { bareApp } from './serve-routes.ts';

const outage = Object.assign(new Error('Somewhere in the code:\nthe server is away'), { code: '57P01' });
const erasure = new Error('there is no such user');
const lines: { level: string; code?: string; reason?: string }[] = [];
const log = createLog('test', {
  level: 'warn',
  destination: { write: (line) => void lines.push(JSON.parse(line)) },
});
/** Called when '/late' is called, and when a call fails. */
let onArrival = () => {};
let onFailure = (_error: Error) => {};
const reportFailure: ErrorRequestHandler = (error, _request, _response, next) => {
  onFailure(error);
  next(error);
};
let server: ReturnType<typeof createHttpServer>;

beforeEach(async () => {
  lines.length = 0;
  const app = bareApp();
  app.get('/away', () => {
    throw outage;
  });
  app.get('/erased', () => {
    throw erasure;
  });
  app.get('/broken', () => {
    throw new Error('a bug of ours');
  });
  app.post('/late', async (request) => {
    onArrival();
    await new Promise((resolve) => request.once('close', resolve));
    await readBody(request);
  });
  app.use(reportFailure);
  app.use(
    handleErrors(log, { isOutage: (error) => error === outage, isErased: (error) => error === erasure }),
  );
  server = createHttpServer({ handler: app, host: '127.0.0.1', port: 0 });
  await server.start?.();
});
afterEach(() => server.stop?.());

test('a dependency that is away: 503 with Retry-After, and a warning', async () => {
  const response = await fetch(`${server.url}/away`);
  expect(response.status).toBe(503);
  expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await response.json()).toMatchObject({ error: 'unavailable' });
  expect(lines).toEqual([
    expect.objectContaining({ level: 'warn', code: '57P01', reason: 'the server is away' }),
  ]);
});

test('a user who was erased meanwhile: 401', async () => {
  const response = await fetch(`${server.url}/erased`);
  expect(response.status).toBe(401);
  expect(await response.json()).toMatchObject({ error: 'unauthorized' });
  expect(lines).toEqual([]);
});

test('any other error: 500, and an error in the log', async () => {
  const response = await fetch(`${server.url}/broken`, { headers: { 'x-request-id': 'call-1' } });
  expect(response.status).toBe(500);
  expect(await response.json()).toMatchObject({ error: 'internal' });
  expect(lines).toEqual([expect.objectContaining({ level: 'error', callId: 'call-1' })]);
});

test('nothing is logged when the client left, after its body or in the middle of it', async () => {
  for (const length of [4, 5]) {
    const arrived = new Promise<void>((resolve) => {
      onArrival = resolve;
    });
    const failed = new Promise<Error>((resolve) => {
      onFailure = resolve;
    });
    const call = request(`${server.url}/late`, { method: 'POST', headers: { 'content-length': length } });
    call.on('error', () => {}).write('1234');
    await arrived;
    call.destroy();
    expect((await failed).message).toBe('the client left before the response');
  }
  expect(lines).toEqual([]);
});
