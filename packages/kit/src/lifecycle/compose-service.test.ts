import { afterEach, expect, test } from '@jest/globals';
import { createLog } from '../log/index.ts';
import { createMetrics } from '../metrics/index.ts';
import { composeService, type Part, type Service, StartupError } from './index.ts';

const log = createLog('test', { level: 'silent' });
let service: Service | undefined;
let history: string[] = [];

afterEach(async () => {
  await service?.stop();
  history = [];
});

const part = (name: string, extra: Partial<Part> = {}): Part => ({
  name,
  start: async () => void history.push(`start ${name}`),
  drain: () => void history.push(`drain ${name}`),
  stop: async () => void history.push(`stop ${name}`),
  ...extra,
});

function compose(parts: Part[], shutdownPause = 0): Service {
  service = composeService({
    name: 'test',
    parts,
    log,
    metrics: createMetrics('test', { forProcess: false }),
    settings: { host: '127.0.0.1', opsPort: 0, shutdownPause },
  });
  return service;
}

const ask = async (path: string) => {
  const answer = await fetch(`${service?.opsUrl}${path}`);
  return { status: answer.status, text: (await answer.text()).trim() };
};

test('parts start in order and stop in reverse, once', async () => {
  const { start, stop } = compose([part('database'), part('server')]);
  await start();
  await Promise.all([stop(), stop()]);
  expect(history).toEqual([
    'start database',
    'start server',
    'drain database',
    'drain server',
    'stop server',
    'stop database',
  ]);
});

test('a part that cannot start: those before it are stopped, and the error is passed on', async () => {
  const failing = part('server', { start: () => Promise.reject(new StartupError('Cannot listen.')) });
  await expect(compose([part('database'), failing]).start()).rejects.toThrow('Cannot listen.');
  expect(history).toEqual(['start database', 'stop server', 'stop database']);
});

test('a part that fails to stop holds nobody up', async () => {
  const { start, stop } = compose([part('a'), part('b', { stop: () => Promise.reject(new Error('stuck')) })]);
  await start();
  await stop();
  expect(history.at(-1)).toBe('stop a');
});

test('ready only while every part is; alive whatever the parts say', async () => {
  let reason: string | undefined = 'the schema is older than this code';
  const { start } = compose([part('database', { notReady: () => reason })]);
  await start();
  expect(await ask('/readyz')).toEqual({ status: 503, text: 'database: the schema is older than this code' });
  expect(await ask('/livez')).toEqual({ status: 200, text: 'ok' });
  reason = undefined;
  expect(await ask('/readyz')).toEqual({ status: 200, text: 'ok' });
  expect((await ask('/metrics')).status).toBe(200);
  expect((await ask('/else')).status).toBe(404);
});

test('unready as soon as stopping begins, while the parts still serve for the pause', async () => {
  const { start, stop } = compose([part('server')], 200);
  await start();
  const stopped = stop();
  expect(await ask('/readyz')).toEqual({ status: 503, text: 'stopping' });
  expect(history).toEqual(['start server', 'drain server']);
  await stopped;
  expect(history.at(-1)).toBe('stop server');
});
