import { generateKeyPairSync, randomUUID } from 'node:crypto';
import type { IncomingMessage, Server } from 'node:http';
import { makeApiKey } from '@expert-relay/kit/api-key';
import { systemClock } from '@expert-relay/kit/clock';
import { listen, readBody } from '@expert-relay/kit/http';
import { createPrincipalVerifier, principalHeader } from '@expert-relay/kit/principal';
import { captureLogs } from '@expert-relay/testkit';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { RequestEvents, revoked } from '../testing/make-event.ts';
import { Reader, type ReaderOptions } from '../testing/reader.ts';
import { makeToken, principalKey, startTestHub, type TestHub } from '../testing/test-hub.ts';
import { createTestRequests } from '../testing/test-requests.ts';
import { openTestStream, type TestStream } from '../testing/test-stream.ts';

let stream: TestStream;
let hub: TestHub;
let closed: TestHub;
let requests: Server;
let requestsUrl: string;
const open: Reader[] = [];
const logs = captureLogs();
const request = new RequestEvents();
const { topic, providerTopic, activityTopic } = request;
const known = makeApiKey('provider').text;

/** The requests service of these tests: it accepts one key, which covers the topics of one user. */
async function exchange(call: IncomingMessage): Promise<{ status: number; body: object }> {
  const verify = createPrincipalVerifier({
    audience: 'requests',
    callers: { hub: { keys: [principalKey], kinds: ['hub'] } },
    clock: systemClock,
  });
  const header = call.headers[principalHeader];
  if (!verify(String(header), { method: call.method ?? '', path: call.url ?? '' }).verified)
    return { status: 500, body: {} };
  const { apiKey, topics } = JSON.parse(String(await readBody(call)));
  if (apiKey !== known) return { status: 401, body: {} };
  if (!topics.every((one: string) => one.includes(request.userId) || one === topic))
    return { status: 403, body: {} };
  return {
    status: 201,
    body: { token: await makeToken(topics, { cred: { kind: 'provider', id: 'known' } }) },
  };
}

beforeAll(async () => {
  stream = await openTestStream();
  requests = createTestRequests((call, response) => {
    void exchange(call).then(({ status, body }) => response.writeHead(status).end(JSON.stringify(body)));
  });
  requestsUrl = await listen(requests, '127.0.0.1', 0);
  const env = { RELAY_REQUESTS_URL: requestsUrl };
  hub = await startTestHub({ prefix: stream.prefix, env, overrides: { log: logs.logOf('hub') } });
  closed = await startTestHub({ prefix: stream.prefix, env: { ...env, HUB_REQUIRE_AUTH: 'true' } });
});
afterEach(() => {
  for (const reader of open.splice(0)) reader.close();
});
afterAll(async () => {
  await hub[Symbol.asyncDispose]();
  await closed[Symbol.asyncDispose]();
  requests.closeAllConnections();
  requests.close();
  await stream[Symbol.asyncDispose]();
});

async function connectTo(topics: string[], options: ReaderOptions = {}, to = hub): Promise<Reader> {
  const reader = new Reader(to.url, topics, options);
  open.push(reader);
  await reader.until('a response', () => reader.head !== '');
  return reader;
}
const statusOf = async (topics: string[], options?: ReaderOptions, to?: TestHub) =>
  (await connectTo(topics, options, to)).status;
const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

describe('a subscription', () => {
  test('without a credential: request topics only', async () => {
    expect(await statusOf([topic])).toBe(200);
    expect(await statusOf([providerTopic])).toBe(401);
    expect(await statusOf([activityTopic])).toBe(401);
    expect(await statusOf([topic, providerTopic])).toBe(401);
  });

  test('with HUB_REQUIRE_AUTH, without a credential: no topic', async () => {
    expect(await statusOf([topic], {}, closed)).toBe(401);
    expect(await statusOf([topic], bearer(await makeToken([topic])), closed)).toBe(200);
  });

  test('with a stream token, in the header or the query: the topics of the token', async () => {
    const token = await makeToken([topic, providerTopic]);
    expect(await statusOf([topic, providerTopic], bearer(token))).toBe(200);
    expect(await statusOf([providerTopic], { query: { authorization: token } })).toBe(200);
    expect(await statusOf([activityTopic], bearer(token))).toBe(403);
    expect(await statusOf([new RequestEvents().topic], bearer(token))).toBe(403);
  });

  test.each([
    ['expired', { expiresAt: 1 }],
    ['of another issuer', { issuer: 'another' }],
    ['for another audience', { audience: 'gateway' }],
    ['of another type', { typ: 'JWT' }],
    ['without the begin of its session', { cred: { kind: 'session', id: 'a', begunAt: Number.NaN } }],
    ['signed with another key', { key: generateKeyPairSync('ed25519').privateKey }],
  ])('a token that is %s is refused, even where none is needed', async (_, claims) => {
    expect(await statusOf([topic], bearer(await makeToken([topic], claims)))).toBe(401);
  });

  test('text that is not a token is refused', async () => {
    const unsigned = `${btoa('{"alg":"none","typ":"relay-stream+jwt"}')}.${btoa('{}')}.`;
    for (const text of ['', 'x', unsigned, (await makeToken([topic])).slice(0, -2)]) {
      expect(await statusOf([topic], bearer(text))).toBe(401);
    }
    expect(await statusOf([topic], { headers: { authorization: 'Basic eDp5' } })).toBe(401);
  });

  test('two credentials at once are refused', async () => {
    const token = await makeToken([topic]);
    expect(await statusOf([topic], { ...bearer(token), query: { authorization: token } })).toBe(400);
  });

  test('with an API key, which the requests service exchanges: the topics that the key covers', async () => {
    const withKey = (apiKey: string) => ({ headers: { 'x-api-key': apiKey } });
    expect(await statusOf([providerTopic, activityTopic, topic], withKey(known))).toBe(200);
    expect(await statusOf([new RequestEvents().topic], withKey(known))).toBe(403);
    expect(await statusOf([topic], withKey(makeApiKey('provider').text))).toBe(401);
    expect(await statusOf([topic], withKey('hs_prov_mistyped'))).toBe(401);
  });

  test('while requests is away: 503 for keys, whose cause is logged once, and 200 for the rest', async () => {
    const aloneLogs = captureLogs();
    const overrides = { log: aloneLogs.logOf('hub') };
    const away = createTestRequests(() => {});
    const env = { RELAY_REQUESTS_URL: await listen(away, '127.0.0.1', 0) };
    await using alone = await startTestHub({ prefix: stream.prefix, overrides, env });
    away.closeAllConnections();
    away.close();
    const withKey = await connectTo([topic], { headers: { 'x-api-key': known } }, alone);
    expect(withKey.status).toBe(503);
    expect(aloneLogs.lines.filter(({ route }) => route === '/internal/stream-token')).toEqual([
      expect.objectContaining({ callee: 'requests', code: 'ECONNREFUSED' }),
    ]);
    expect(withKey.head).toMatch(/retry-after: \d/);
    expect(await statusOf([topic], {}, alone)).toBe(200);
    expect(await statusOf([topic], bearer(await makeToken([topic])), alone)).toBe(200);
  });
});

describe('a credential that is revoked', () => {
  test.each([
    ['key_revoked', { kind: 'provider', id: 'key-1' }, { apiKeyId: 'key-1' }],
    ['signed_out', { kind: 'session', id: 'session-1' }, { sessionId: 'session-1' }],
  ])('ends the streams that depend on it, with the reason %s', async (reason, cred, by) => {
    const token = await makeToken([topic], { cred, issuedAt: Date.now() / 1_000 - 5 });
    const other = await makeToken([topic], { cred: { ...cred, id: 'other' } });
    const revokedStream = await connectTo([topic], bearer(token));
    const otherStream = await connectTo([topic], bearer(other));
    const anonymous = await connectTo([topic]);
    await revokedStream.opened();
    await stream.publish(revoked(by));
    await revokedStream.until('the end', () => revokedStream.isEnded);
    expect(revokedStream.blocks.at(-1)).toMatchObject({ event: 'hub.end', data: JSON.stringify({ reason }) });
    expect([otherStream.isEnded, anonymous.isEnded]).toEqual([false, false]);
    expect(await statusOf([topic], bearer(token))).toBe(401);
  });

  test('by the end of its session, makes later tokens invalid too', async () => {
    const cred = { kind: 'session', id: 'session-2' };
    const now = Math.floor(Date.now() / 1_000);
    await stream.publish(revoked({ sessionId: 'session-2' }, new Date((now - 10) * 1_000)));
    const before = bearer(await makeToken([topic], { cred, issuedAt: now - 20 }));
    const after = bearer(await makeToken([topic], { cred, issuedAt: now }));
    const reader = await connectTo([topic]);
    await reader.until('the revocation', async () => (await statusOf([topic], before)) === 401);
    expect(await statusOf([topic], after)).toBe(401);
  });

  test('with all sessions of its user, ends those that began until 30 s after, and neither keys nor other users', async () => {
    const userId = randomUUID();
    const now = Date.now();
    const of = async (kind: string, begunAt: number, ofUser = userId) =>
      bearer(await makeToken([topic], { userId: ofUser, cred: { kind, id: randomUUID(), begunAt } }));
    const [ended, ahead] = [await of('session', now - 60_000), await of('session', now + 20_000)];
    const kept = [
      await of('session', now + 60_000),
      await of('session', now - 60_000, randomUUID()),
      await of('provider', now - 60_000),
    ];
    const endedStreams = [await connectTo([topic], ended), await connectTo([topic], ahead)];
    const keptStreams = await Promise.all(kept.map((credential) => connectTo([topic], credential)));
    for (const reader of [...endedStreams, ...keptStreams]) await reader.opened();
    await stream.publish(revoked({ allSessions: true }, new Date(now), userId));
    for (const reader of endedStreams) {
      await reader.until('the end', () => reader.isEnded);
      expect(reader.blocks.at(-1)).toMatchObject({ event: 'hub.end', data: '{"reason":"signed_out"}' });
    }
    expect(keptStreams.map(({ isEnded }) => isEnded)).toEqual([false, false, false]);
    expect(await statusOf([topic], ahead)).toBe(401);
    for (const credential of kept) expect(await statusOf([topic], credential)).toBe(200);
  });

  test('by its replacement, leaves later tokens valid', async () => {
    const cred = { kind: 'provider', id: 'rotated' };
    const now = Date.now() / 1_000;
    await stream.publish(revoked({ apiKeyId: 'rotated' }, new Date((now - 10) * 1_000)));
    const before = bearer(await makeToken([topic], { cred, issuedAt: Math.floor(now) - 20 }));
    const after = bearer(await makeToken([topic], { cred, issuedAt: Math.floor(now) - 5 }));
    const last = await connectTo([topic]);
    await last.until('the revocation', async () => (await statusOf([topic], before)) === 401);
    expect(await statusOf([topic], after)).toBe(200);
  });

  describe('by a rotation of its secret', () => {
    // In the same second: the time at which a token was issued does not distinguish it from one of the new secret.
    const now = Math.floor(Date.now() / 1_000) * 1_000 + 500;
    const old = now - 60_000;
    const rotate = (apiKeyId: string, secretsBefore: number, endsAt: number) =>
      stream.publish(revoked({ apiKeyId, rotation: { secretsBefore, endsAt } }));
    const tokenOf = async (id: string, secret: { createdAt: number; endsAt?: number }) =>
      bearer(await makeToken([topic], { cred: { kind: 'provider', id, secret } }));
    const openWith = async (id: string, createdAt: number, endsAt?: number) => {
      const secret = { createdAt, ...(endsAt !== undefined && { endsAt }) };
      return (await connectTo([topic], await tokenOf(id, secret))).opened();
    };
    const endOf = async (reader: Reader) => {
      await reader.until('the end', () => reader.isEnded);
      expect(reader.blocks.at(-1)).toMatchObject({ event: 'hub.end', data: '{"reason":"key_revoked"}' });
      return Date.now();
    };

    test('ends only the streams of the old secret, when its grace period ends', async () => {
      const before = await openWith('r1', old);
      const endsAt = Date.now() + 5_000;
      await rotate('r1', now, endsAt);
      // From a look-up that was made before the rotation: it does not say when the secret ends.
      const late = await openWith('r1', old);
      const named = await openWith('r1', old, endsAt);
      const fresh = await openWith('r1', now);
      for (const reader of [before, late, named]) expect(await endOf(reader)).toBeGreaterThanOrEqual(endsAt);
      expect(await statusOf([topic], await tokenOf('r1', { createdAt: old }))).toBe(401);
      expect(fresh.isEnded).toBe(false);
      expect(await statusOf([topic], await tokenOf('r1', { createdAt: now }))).toBe(200);
    });

    test('ends a stream whose token says when the secret ends, without an event of the rotation', async () => {
      const endsAt = Date.now() + 5_000;
      const reader = await openWith('r2', old, endsAt);
      expect(await endOf(reader)).toBeGreaterThanOrEqual(endsAt);
      expect(await statusOf([topic], await tokenOf('r2', { createdAt: old, endsAt }))).toBe(401);
    });

    test('without a grace period ends them at once, and accepts a token for the new secret of the same second', async () => {
      const reader = await openWith('r3', old);
      await rotate('r3', now, now);
      await endOf(reader);
      expect(await statusOf([topic], await tokenOf('r3', { createdAt: old }))).toBe(401);
      expect(await statusOf([topic], await tokenOf('r3', { createdAt: now }))).toBe(200);
    });

    test.each([
      ['earlier', 600_000, 1_000, ['first', 'second']],
      ['later', 1_000, 600_000, ['first']],
    ] as const)(
      'twice, the second time with an %s end, ends each secret at the earlier one',
      async (...row) => {
        const [id, firstGrace, secondGrace, ended] = row;
        const open = { first: await openWith(id, old), second: await openWith(id, now - 1) };
        await rotate(id, now - 1, Date.now() + firstGrace);
        await rotate(id, now, Date.now() + secondGrace);
        const third = await openWith(id, now);
        for (const secret of ended) await endOf(open[secret]);
        expect(open.second.isEnded).toBe(ended.length === 2);
        expect(third.isEnded).toBe(false);
      },
    );
  });
});

test('no credential is in logs or responses', async () => {
  const token = await makeToken([topic], { expiresAt: 1 });
  const responses = [
    await connectTo([topic], { query: { authorization: token } }),
    await connectTo([topic], bearer(token)),
    await connectTo([topic], { headers: { 'x-api-key': `${known.slice(0, -1)}x` } }),
    await connectTo([topic], { headers: { 'x-api-key': known } }),
  ];
  await responses.at(-1)?.opened();
  const received = responses.map(({ head, blocks }) => head + JSON.stringify(blocks));
  const shown = [JSON.stringify(logs.lines), ...received].join('\n');
  for (const secret of [token, token.split('.')[2] ?? '', known, known.slice(8)])
    expect(shown).not.toContain(secret);
});
