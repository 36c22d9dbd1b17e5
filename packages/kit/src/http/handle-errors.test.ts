import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { createLog } from '../log/index.ts';
import { bareApp } from './bare-app.ts';
import { createHttpServer } from './create-http-server.ts';
import { handleErrors } from './handle-errors.ts';

const outage = Object.assign(new Error('Somewhere in the code:\nthe server is away'), { code: '57P01' });
const lines: { level: string; code?: string; reason?: string }[] = [];
const log = createLog('test', {
  level: 'warn',
  destination: { write: (line) => void lines.push(JSON.parse(line)) },
});
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
  const answer = await fetch(`${server.url}/broken`);
  expect(answer.status).toBe(500);
  expect(await answer.json()).toMatchObject({ error: 'internal' });
  expect(lines).toEqual([expect.objectContaining({ level: 'error' })]);
});
