import { createServer, type Server } from 'node:http';
import { systemClock } from '@expert-relay/kit/clock';
import { listen } from '@expert-relay/kit/http';
import { createPrincipalVerifier, principalHeader } from '@expert-relay/kit/principal';
import { eventually, type OwnNats, startOwnNats } from '@expert-relay/testkit';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { RequestEvents, revoked, type TestEvent } from '../testing/make-event.ts';
import { Reader, type ReaderOptions } from '../testing/reader.ts';
import { makeToken, principalKey, startTestHub, type TestHub } from '../testing/test-hub.ts';
import { openTestStream, type TestStream } from '../testing/test-stream.ts';

let nats: OwnNats;
let stream: TestStream;
let requests: Server;
let url: string;
let hub: TestHub;
/** What the requests service of these tests responds. */
let status: number;
let revocations: TestEvent[];
let calls: number;
const open: Reader[] = [];
const { topic } = new RequestEvents();
const verify = createPrincipalVerifier({
  audience: 'requests',
  callers: { hub: { keys: [principalKey], kinds: ['hub'] } },
  clock: systemClock,
});

beforeEach(async () => {
  status = 200;
  revocations = [];
  calls = 0;
  requests = createServer(({ method = '', url: path = '', headers }, response) => {
    calls++;
    const { verified } = verify(String(headers[principalHeader]), { method, path });
    const isRoute = verified && path === '/internal/revocations';
    const events = revocations.map(({ bytes }) => Buffer.from(bytes).toString('base64'));
    response.writeHead(isRoute ? status : 404).end(JSON.stringify(status === 200 ? { events } : {}));
  });
  nats = await startOwnNats();
  stream = await openTestStream(nats.url);
  url = await listen(requests, '127.0.0.1', 0);
  const env = { NATS_URL: nats.url, RELAY_REQUESTS_URL: url };
  hub = await startTestHub({ prefix: stream.prefix, env });
});
afterEach(async () => {
  nats.thaw();
  for (const reader of open.splice(0)) reader.close();
  await hub[Symbol.asyncDispose]();
  await stream[Symbol.asyncDispose]();
  await nats[Symbol.asyncDispose]();
  requests.closeAllConnections();
  requests.close();
});

async function connect(options: ReaderOptions): Promise<Reader> {
  const reader = new Reader(hub.url, [topic], options);
  open.push(reader);
  await reader.until('a response', () => reader.head !== '');
  return reader;
}
const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
const tokenOf = async (kind: string, id: string) =>
  bearer(await makeToken([topic], { cred: { kind, id }, issuedAt: Date.now() / 1_000 - 5 }));
const statusOf = async (options: ReaderOptions) => (await connect(options)).status;

test.each([
  ['key_revoked', 'provider', { apiKeyId: 'one' }],
  ['signed_out', 'session', { sessionId: 'one' }],
])('a revocation takes effect while NATS is frozen: %s', async (reason, kind, by) => {
  const [token, other] = [await tokenOf(kind, 'one'), await tokenOf(kind, 'other')];
  const [ended, kept] = [await connect(token), await connect(other)];
  await ended.opened();
  nats.freeze();
  revocations.push(revoked(by));
  await ended.until('the end', () => ended.isEnded);
  expect(ended.blocks.at(-1)).toMatchObject({ event: 'hub.end', data: JSON.stringify({ reason }) });
  expect(await statusOf(token)).toBe(401);
  expect(await statusOf(other)).toBe(200);
  expect(kept.isEnded).toBe(false);
});

test('a revocation that the outbox has not published takes effect, once', async () => {
  const reader = await connect(await tokenOf('provider', 'one'));
  await reader.opened();
  revocations.push(revoked({ apiKeyId: 'one' }));
  await reader.until('the end', () => reader.isEnded);
  // The same event again does not end a stream of a newer secret.
  const later = await makeToken([topic], {
    cred: { kind: 'provider', id: 'one', secret: { createdAt: Date.now() + 10 } },
  });
  const renewed = await connect(bearer(later));
  const before = calls;
  await eventually('two readings', () => calls >= before + 2);
  expect(renewed.isEnded).toBe(false);
});

test('a hub that starts accepts tokens once it knows those that were revoked before', async () => {
  status = 503;
  const [token, other] = [await tokenOf('provider', 'one'), await tokenOf('provider', 'other')];
  revocations.push(revoked({ apiKeyId: 'one' }));
  await hub[Symbol.asyncDispose]();
  const env = { NATS_URL: nats.url, RELAY_REQUESTS_URL: url };
  hub = await startTestHub({ prefix: stream.prefix, env, isReady: false });
  await eventually('it is ready', async () => (await fetch(`${hub.service.opsUrl}/readyz`)).ok);
  for (const options of [token, other]) {
    const page = await connect(options);
    await page.until('the end', () => page.isEnded);
    expect(page.blocks.at(-1)).toMatchObject({
      event: 'hub.end',
      data: JSON.stringify({ reason: 'starting' }),
    });
    const headers = { ...options.headers, accept: 'application/json' };
    expect(await statusOf({ ...options, headers })).toBe(503);
  }
  // The id of a request needs no credential.
  expect(await statusOf({})).toBe(200);
  status = 200;
  await hub.ready();
  expect(await statusOf(token)).toBe(401);
  expect(await statusOf(other)).toBe(200);
});

test.each([404, 503])(
  'after requests answered %d, a revocation of an hour ago ends a stream',
  async (code) => {
    status = code;
    const token = await tokenOf('provider', 'one');
    const older = { kind: 'provider', id: 'one', secret: { createdAt: Date.now() - 7_200_000 } };
    const reader = await connect(bearer(await makeToken([topic], { cred: older })));
    nats.freeze();
    revocations.push(revoked({ apiKeyId: 'one' }, new Date(Date.now() - 3_600_000)));
    const before = calls;
    await eventually('two readings', () => calls >= before + 2);
    expect(await statusOf(token)).toBe(200);
    expect(reader.isEnded).toBe(false);
    status = 200;
    await reader.until('the end', () => reader.isEnded);
  },
);
