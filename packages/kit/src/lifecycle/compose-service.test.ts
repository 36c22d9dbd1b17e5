import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createLog } from '../log/index.ts';
import { createMetrics } from '../metrics/index.ts';
import type { Acceptance } from '../part/index.ts';
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

function compose(
  parts: Part[],
  { shutdownPause = 0, staysReady = false, refusalPatienceMs = 60_000 } = {},
): Service {
  service = composeService({
    name: 'test',
    parts,
    log,
    metrics: createMetrics('test', { forProcess: false }),
    settings: { host: '127.0.0.1', opsPort: 0, shutdownPause },
    staysReady,
    refusalPatienceMs,
  });
  return service;
}

const ask = async (path: string) => {
  const response = await fetch(`${service?.opsUrl}${path}`);
  return { status: response.status, text: (await response.text()).trim() };
};

const readiness = async () => {
  const { status, text } = await ask('/readyz');
  return { status, ...JSON.parse(text) };
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

test('when a part cannot start, those before it are stopped and the error is thrown', async () => {
  const failing = part('server', { start: () => Promise.reject(new StartupError('Cannot listen.')) });
  await expect(compose([part('database'), failing]).start()).rejects.toThrow('Cannot listen.');
  expect(history).toEqual(['start database', 'stop server', 'stop database']);
});

test('the other parts stop although one fails to stop', async () => {
  const { start, stop } = compose([part('a'), part('b', { stop: () => Promise.reject(new Error('stuck')) })]);
  await start();
  await stop();
  expect(history.at(-1)).toBe('stop a');
});

test('a service is ready only while every part is, and always alive', async () => {
  let reason: string | undefined = 'the schema is older than this code';
  const { start } = compose([part('database', { notReady: () => reason })]);
  await start();
  expect(await readiness()).toEqual({
    status: 503,
    ready: false,
    reason: 'database: the schema is older than this code',
    away: {},
  });
  expect(await ask('/livez')).toEqual({ status: 200, text: 'ok' });
  reason = undefined;
  expect(await readiness()).toEqual({ status: 200, ready: true, away: {} });
  expect((await ask('/metrics')).status).toBe(200);
  expect((await ask('/else')).status).toBe(404);
});

describe('a dependency that is away', () => {
  let outage: string | undefined;
  const dependent = () =>
    part('database', { dependency: { name: 'postgres', away: () => outage }, notReady: () => outage });
  const up = async () =>
    /^relay_dependency_up\{dependency="postgres".*\} (\d)$/m.exec((await ask('/metrics')).text)?.[1];

  beforeEach(() => {
    outage = undefined;
  });

  test('is reported by an unready service', async () => {
    await compose([dependent()]).start();
    expect(await up()).toBe('1');
    outage = 'refused';
    const away = { postgres: 'refused' };
    expect(await readiness()).toEqual({ status: 503, ready: false, reason: 'database: refused', away });
    expect(await up()).toBe('0');
  });

  test('does not make a service with `staysReady` unready, and is reported', async () => {
    await compose([dependent()], { staysReady: true }).start();
    outage = 'refused';
    expect(await readiness()).toEqual({ status: 200, ready: true, away: { postgres: 'refused' } });
    expect(await up()).toBe('0');
  });

  test('keeps a service with `staysReady` unready until it was ready once', async () => {
    outage = 'refused';
    await compose([dependent()], { staysReady: true }).start();
    expect((await readiness()).status).toBe(503);
    outage = undefined;
    expect((await readiness()).status).toBe(200);
    outage = 'refused';
    expect((await readiness()).status).toBe(200);
  });
});

test('a service is unready when its stop begins, and its parts still serve during the pause', async () => {
  const { start, stop } = compose([part('server')], { shutdownPause: 2_000, staysReady: true });
  await start();
  const stopped = stop();
  expect(await readiness()).toEqual({ status: 503, ready: false, reason: 'stopping', away: {} });
  expect(history).toEqual(['start server', 'drain server']);
  await stopped;
  expect(history.at(-1)).toBe('stop server');
});

describe('a server that refuses the settings since the start', () => {
  const refused: Acceptance = { refused: 'WRONGPASS' };
  /** A service that is asked each second, and whose server gives these answers; the last one for ever. */
  const start = async (answers: Acceptance[]) => {
    const acceptance = () => (answers.length > 1 ? answers.shift() : answers[0]) ?? 'unknown';
    const started = compose([part('redis', { acceptance })], { refusalPatienceMs: 1_500 });
    await started.start();
    return started.refused;
  };

  test('is reported after a time, also if it was away before', async () => {
    const { message } = await start(['unknown', refused]);
    expect(message).toMatch(/^The sign-in to redis fails: WRONGPASS\. Check its address/);
  });

  test.each<[string, Acceptance[]]>([
    ['has accepted them once', ['accepted', refused]],
    ['is away again and again', [refused, 'unknown', refused, 'unknown', refused, 'unknown']],
  ])('is not reported if it %s', async (_, answers) => {
    const reported = start(answers).then(() => true);
    expect(await Promise.race([reported, pause(5_500).then(() => false)])).toBe(false);
  });
});
