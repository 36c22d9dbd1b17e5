import { randomUUID } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Principal } from '../principal/index.ts';
import { hugePieces, keyOf, kinds, sessionOf, useRoutes } from '../testing/use-routes.ts';
import { longResponseBytes, type RouteResponse } from './send-response.ts';
import { defineRoute } from './serve-routes.ts';

async function* pieces(count: number) {
  for (let piece = 1; piece < count; piece++) yield 'x'.repeat(65_536);
  return 'x';
}

const responses: Record<string, () => Partial<RouteResponse>> = {
  huge: () => ({ stream: hugePieces() }),
  pieces: () => ({ stream: pieces(2) }),
  piece: () => ({ stream: pieces(1) }),
  long: () => ({ body: 'x'.repeat(longResponseBytes) }),
  short: () => ({ body: 'x' }),
};

describe('long responses of one user', () => {
  let userId: string;
  let caller: Principal;

  beforeEach(() => {
    userId = randomUUID();
    caller = keyOf(userId);
  });

  const route = defineRoute({
    method: 'get',
    path: '/:answer',
    allow: kinds,
    handle: async ({ params }) => ({ status: 200, ...responses[params.answer ?? '']?.() }),
  });
  // One key or session gets two of the three.
  const call = useRoutes({ routes: [route], maxLongResponses: 3, poolSize: 100 });
  const begin = (path: string, principal = caller) => call(path, principal);

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
    expect((await begin('/huge', sessionOf(userId))).statusCode).toBe(200);
    for (const other of [keyOf(userId), keyOf(userId), sessionOf(userId)])
      expect((await begin('/huge', other)).statusCode).toBe(429);
  });

  test('do not count for other users', async () => {
    for (let count = 0; count < 3; count++) await begin('/huge', keyOf(userId));
    expect((await begin('/huge', keyOf(userId))).statusCode).toBe(429);
    userId = randomUUID();
    for (let count = 0; count < 3; count++)
      expect((await begin('/huge', keyOf(userId))).statusCode).toBe(200);
  });

  test('no longer count when they are finished', async () => {
    for (let finished = 0; finished < 6; await pause(5)) {
      const response = await begin(finished % 2 ? '/pieces' : '/long');
      await text(response);
      // The server may notice the end later than the client.
      if (response.statusCode === 200) finished++;
    }
  });

  test('no longer count when their client has left', async () => {
    const responses = [await begin('/huge'), await begin('/huge')];
    expect((await begin('/long')).statusCode).toBe(429);
    for (const response of responses) response.destroy();
    while ((await begin('/huge')).statusCode !== 200) await pause(10);
    while ((await begin('/huge')).statusCode !== 200) await pause(10);
    expect((await begin('/long')).statusCode).toBe(429);
  });
});
