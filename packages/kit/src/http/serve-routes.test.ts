import { randomUUID } from 'node:crypto';
import { eventually } from '@expert-relay/testkit';
import { beforeEach, expect, test } from '@jest/globals';
import { hugePieces, keyOf, kinds, sessionOf, useRoutes } from '../testing/use-routes.ts';
import { defineRoute } from './serve-routes.ts';

/** Each responds to a call that waits, the oldest first. */
let waiting: (() => void)[];
let userId: string;

beforeEach(() => {
  waiting = [];
  userId = randomUUID();
});

const waits = defineRoute({
  method: 'get',
  path: '/waits',
  allow: kinds,
  isHeavy: ({ query }) => query.has('heavy'),
  async handle() {
    await new Promise<void>((resolve) => waiting.push(resolve));
    return { status: 200, body: {} };
  },
});
const huge = defineRoute({
  method: 'get',
  path: '/huge',
  allow: kinds,
  handle: async () => ({ status: 200, stream: hugePieces() }),
});
// A user has eight of the ten connections.
const begin = useRoutes({ routes: [waits, huge], poolSize: 10, maxLongResponses: 0 });

const untilWaiting = (count: number) =>
  eventually(`${count} calls are under way`, () => waiting.length === count);

test('heavy calls of a user run one after another, beside its others', async () => {
  const first = begin('/waits?heavy=1', keyOf(userId));
  await untilWaiting(1);
  const second = begin('/waits?heavy=1', sessionOf(userId));
  const light = [
    begin('/waits', keyOf(userId)),
    begin('/waits', sessionOf(userId)),
    begin('/waits', keyOf(userId)),
  ];
  // The three came after the heavy one that waits.
  await untilWaiting(4);
  waiting.shift()?.();
  expect((await first).statusCode).toBe(200);
  await untilWaiting(4);
  for (const respond of waiting) respond();
  for (const response of await Promise.all([second, ...light])) expect(response.statusCode).toBe(200);
});

test('a user whose clients do not read their responses can still make calls', async () => {
  const caller = keyOf(userId);
  for (let count = 0; count < 20; count++) expect((await begin('/huge', caller)).statusCode).toBe(200);
});
