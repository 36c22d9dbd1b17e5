import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { systemClock } from '../clock/index.ts';
import { createLog } from '../log/index.ts';
import { createMetrics } from '../metrics/index.ts';
import {
  createPrincipalSigner,
  createPrincipalVerifier,
  type Principal,
  principalHeader,
} from '../principal/index.ts';
import { createHttpServer, type HttpServer } from './create-http-server.ts';
import type { Answer } from './send-answer.ts';
import { longAnswerBytes } from './send-answer.ts';
import { defineRoute, serveRoutes } from './serve-routes.ts';

const keys = [{ id: 'test', secret: randomBytes(32) }] as const;
const sign = createPrincipalSigner({ caller: 'gateway', audience: 'test', keys, clock: systemClock });
const kinds = ['consumer', 'session'] as const;

async function* pieces(count: number) {
  for (let piece = 1; piece < count; piece++) yield 'x'.repeat(65_536);
  return 'x';
}

const answers: Record<string, () => Partial<Answer>> = {
  /** Far more than the buffers of the kernel at both ends. */
  huge: () => ({ stream: pieces(2_000) }),
  pieces: () => ({ stream: pieces(2) }),
  piece: () => ({ stream: pieces(1) }),
  long: () => ({ body: 'x'.repeat(longAnswerBytes) }),
  short: () => ({ body: 'x' }),
};

describe('long answers of one user', () => {
  let server: HttpServer;
  let userId: string;
  let caller: Principal;
  const open = new Set<IncomingMessage>();

  beforeAll(async () => {
    const route = defineRoute({
      method: 'get',
      path: '/:answer',
      allow: kinds,
      handle: async ({ params }) => ({ status: 200, ...answers[params.answer ?? '']?.() }),
    });
    const handler = serveRoutes({
      routes: [route],
      verify: createPrincipalVerifier({
        audience: 'test',
        callers: { gateway: { keys, kinds } },
        clock: systemClock,
      }),
      log: createLog('test', { level: 'silent' }),
      metrics: createMetrics('test', { forProcess: false }),
      // One key or session gets two of them.
      maxLongAnswers: 3,
      poolSize: 100,
    });
    server = createHttpServer({ handler, host: '127.0.0.1', port: 0 });
    await server.start?.();
  });
  beforeEach(() => {
    userId = randomUUID();
    caller = key();
  });
  afterEach(() => {
    for (const answer of open) answer.destroy();
    open.clear();
  });
  afterAll(() => server.stop?.());

  const key = (): Principal => ({ kind: 'consumer', apiKeyId: randomUUID(), userId });
  const session = (): Principal => ({
    kind: 'session',
    sessionId: randomUUID(),
    userId,
    begunAt: 0,
    endsAt: 0,
  });

  /** The head of an answer whose body is not read yet. */
  async function begin(path: string, principal = caller): Promise<IncomingMessage> {
    const header = sign({ principal, method: 'GET', path, callId: 'call' });
    const [answer] = (await once(
      get(`${server.url}${path}`, { headers: { [principalHeader]: header } }),
      'response',
    )) as [IncomingMessage];
    answer.on('error', () => {});
    open.add(answer);
    return answer;
  }

  test.each(['/pieces', '/long'])(
    'are limited at the same time, and %s beyond the limit is refused',
    async (path) => {
      for (let count = 0; count < 2; count++) expect((await begin('/huge')).statusCode).toBe(200);
      const refused = await begin(path);
      expect(refused.statusCode).toBe(429);
      expect(refused.headers['retry-after']).toBe('60');
      expect(JSON.parse(await text(refused))).toMatchObject({ error: 'too_many_at_once' });
    },
  );

  test.each(['/piece', '/short'])('are counted, and %s is not', async (path) => {
    for (let count = 0; count < 2; count++) await begin('/huge');
    expect((await begin(path)).statusCode).toBe(200);
  });

  test('are counted for all keys and sessions of the user together', async () => {
    for (let count = 0; count < 2; count++) expect((await begin('/huge')).statusCode).toBe(200);
    expect((await begin('/huge')).statusCode).toBe(429);
    expect((await begin('/huge', session())).statusCode).toBe(200);
    for (const other of [key(), key(), session()]) expect((await begin('/huge', other)).statusCode).toBe(429);
  });

  test('do not count for other users', async () => {
    for (let count = 0; count < 3; count++) await begin('/huge', key());
    expect((await begin('/huge', key())).statusCode).toBe(429);
    userId = randomUUID();
    for (let count = 0; count < 3; count++) expect((await begin('/huge', key())).statusCode).toBe(200);
  });

  test('no longer count when they are finished', async () => {
    for (let finished = 0; finished < 6; await pause(5)) {
      const answer = await begin(finished % 2 ? '/pieces' : '/long');
      await text(answer);
      // The server may notice the end later than the client.
      if (answer.statusCode === 200) finished++;
    }
  });

  test('no longer count when their client has left', async () => {
    const answers = [await begin('/huge'), await begin('/huge')];
    expect((await begin('/long')).statusCode).toBe(429);
    for (const answer of answers) answer.destroy();
    while ((await begin('/huge')).statusCode !== 200) await pause(10);
    while ((await begin('/huge')).statusCode !== 200) await pause(10);
    expect((await begin('/long')).statusCode).toBe(429);
  });
});
