import { request } from 'node:http';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { ErrorRequestHandler } from 'express';
import { createLog } from '../log/index.ts';
import { createHttpServer } from './create-http-server.ts';
import { handleErrors } from './handle-errors.ts';
import { readBody } from './read-body.ts';
import { bareApp } from './serve-routes.ts';

const outage = Object.assign(new Error('Somewhere in the code:\nthe server is away'), { code: '57P01' });
const lines: { level: string; code?: string; reason?: string }[] = [];
const log = createLog('test', {
  level: 'warn',
  destination: { write: (line) => void lines.push(JSON.parse(line)) },
});
/** What was called '/late', and what came of it. */
let arrived = () => {};
let failed = (_error: Error) => {};
const tell: ErrorRequestHandler = (error, _request, _response, next) => {
  failed(error);
  next(error);
};
let server: ReturnType<typeof createHttpServer>;

beforeEach(async () => {
  lines.length = 0;
  const app = bareApp();
  app.get('/away', () => {
    throw outage;
  });
  app.get('/broken', () => {
    throw new Error('a bug of ours');
  });
  app.post('/late', async (request) => {
    arrived();
    await new Promise((resolve) => request.once('close', resolve));
    await readBody(request);
  });
  app.use(tell);
  app.use(handleErrors(log, { isOutage: (error) => error === outage }));
  server = createHttpServer({ handler: app, host: '127.0.0.1', port: 0 });
  await server.start?.();
});
afterEach(() => server.stop?.());

test('what the service stands on is away: 503, when to come again, and a warning', async () => {
  const answer = await fetch(`${server.url}/away`);
  expect(answer.status).toBe(503);
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await answer.json()).toMatchObject({ error: 'unavailable' });
  expect(lines).toEqual([
    expect.objectContaining({ level: 'warn', code: '57P01', reason: 'the server is away' }),
  ]);
});

test('anything else is ours: 500, and an error in the log', async () => {
  const answer = await fetch(`${server.url}/broken`, { headers: { 'x-request-id': 'call-1' } });
  expect(answer.status).toBe(500);
  expect(await answer.json()).toMatchObject({ error: 'internal' });
  expect(lines).toEqual([expect.objectContaining({ level: 'error', callId: 'call-1' })]);
});

test('a client that left, after its whole body or amidst it, is no failure of ours', async () => {
  for (const length of [4, 5]) {
    const begun = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const told = new Promise<Error>((resolve) => {
      failed = resolve;
    });
    const call = request(`${server.url}/late`, { method: 'POST', headers: { 'content-length': length } });
    call.on('error', () => {}).write('1234');
    await begun;
    call.destroy();
    expect((await told).message).toBe('the client left before it was answered');
  }
  expect(lines).toEqual([]);
});
