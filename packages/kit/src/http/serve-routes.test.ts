import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { eventually } from '@expert-relay/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
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
import { defineRoute, serveRoutes } from './serve-routes.ts';

const keys = [{ id: 'test', secret: randomBytes(32) }] as const;
const sign = createPrincipalSigner({ caller: 'gateway', audience: 'test', keys, clock: systemClock });
const kinds = ['consumer', 'session'] as const;

/** Far more than the buffers of the kernel at both ends. */
async function* hugePieces() {
  for (let piece = 0; piece < 2_000; piece++) yield 'x'.repeat(65_536);
  return 'x';
}

let server: HttpServer;
/** Answers the oldest call that waits for it. */
let waiting: (() => void)[];
let userId: string;
const open = new Set<IncomingMessage>();

beforeAll(async () => {
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
  const verify = createPrincipalVerifier({
    audience: 'test',
    callers: { gateway: { keys, kinds } },
    clock: systemClock,
  });
  const log = createLog('test', { level: 'silent' });
  const metrics = createMetrics('test', { forProcess: false });
  // A user has eight of these.
  const handler = serveRoutes({
    routes: [waits, huge],
    verify,
    log,
    metrics,
    poolSize: 10,
    maxLongAnswers: 0,
  });
  server = createHttpServer({ handler, host: '127.0.0.1', port: 0 });
  await server.start?.();
});
beforeEach(() => {
  waiting = [];
  userId = randomUUID();
});
afterEach(() => {
  for (const response of open) response.destroy();
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

/** The head of a response whose body is not read. */
async function begin(path: string, principal: Principal): Promise<IncomingMessage> {
  const header = sign({ principal, method: 'GET', path, callId: randomUUID() });
  const request = get(`${server.url}${path}`, { agent: false, headers: { [principalHeader]: header } });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  response.on('error', () => {});
  open.add(response);
  return response;
}

const untilWaiting = (count: number) =>
  eventually(`${count} calls are under way`, () => waiting.length === count);

test('heavy calls of a user run one after another, beside its others', async () => {
  const first = begin('/waits?heavy=1', key());
  await untilWaiting(1);
  const second = begin('/waits?heavy=1', session());
  const light = [begin('/waits', key()), begin('/waits', session()), begin('/waits', key())];
  // The three came after the heavy one that waits.
  await untilWaiting(4);
  waiting.shift()?.();
  expect((await first).statusCode).toBe(200);
  await untilWaiting(4);
  for (const answer of waiting) answer();
  for (const response of await Promise.all([second, ...light])) expect(response.statusCode).toBe(200);
});

test('a user whose clients do not read their answers can still make calls', async () => {
  const caller = key();
  for (let count = 0; count < 20; count++) expect((await begin('/huge', caller)).statusCode).toBe(200);
});
