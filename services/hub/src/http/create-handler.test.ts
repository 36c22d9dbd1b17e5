import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { RequestEvents } from '../testing/make-event.ts';
import { Reader } from '../testing/reader.ts';
import { startTestHub, type TestHub } from '../testing/test-hub.ts';
import { openTestStream, type TestStream } from '../testing/test-stream.ts';

let stream: TestStream;
let hub: TestHub;
const request = new RequestEvents();
const url = (query: string, path = '/') => `${hub.url}${path}?${query}`;
const topic = `topic=${encodeURIComponent(request.topic)}`;
const site = 'https://relay.example';
const page = 'https://pages.example';

beforeAll(async () => {
  stream = await openTestStream();
  hub = await startTestHub({
    prefix: stream.prefix,
    env: { RELAY_PUBLIC_URL: `${site}/`, RELAY_CORS_ORIGINS: page },
  });
});
afterAll(async () => {
  await hub[Symbol.asyncDispose]();
  await stream[Symbol.asyncDispose]();
});

const problemOf = async (response: Response) => {
  expect(response.headers.get('content-type')).toBe('application/problem+json');
  return (await response.json()) as { error: string; fields?: { path: string; code: string }[] };
};

describe('the hub over HTTP', () => {
  test.each(['/', '/hub', '/hub/'])('streams at %s', async (path) => {
    const reader = await new Reader(hub.url, [request.topic], { path }).opened();
    expect(reader.status).toBe(200);
    reader.close();
  });

  test('has headers against caching, transforming and buffering of a stream', async () => {
    const { head, ...reader } = await new Reader(hub.url, [request.topic]).opened();
    reader.socket.destroy();
    for (const header of [
      'content-type: text/event-stream',
      'cache-control: no-cache, no-transform',
      'x-accel-buffering: no',
      'x-content-type-options: nosniff',
      'x-frame-options: DENY',
      'referrer-policy: origin-when-cross-origin',
      'strict-transport-security: max-age=31536000',
      "content-security-policy: default-src 'none'; frame-ancestors 'none'",
    ]) {
      expect(head.split('\r\n')).toContain(header);
    }
  });

  test('begins with the time to reconnect and the position', async () => {
    const reader = await new Reader(hub.url, [request.topic]).opened();
    const [first] = reader.blocks;
    expect(Number(first?.retry)).toBeGreaterThanOrEqual(1_000);
    expect(Number(first?.retry)).toBeLessThanOrEqual(3_000);
    expect(first?.id).toMatch(/^[0-9a-z]+\.\d+\.[0-9a-f]{8}$/);
    expect(first?.comment).toBe(first?.id);
    reader.close();
  });

  test('answers HTTP/1.0 without chunks', async () => {
    const reader = await new Reader(hub.url, [request.topic], { version: '1.0' }).opened();
    expect(reader.head).not.toMatch(/transfer-encoding/i);
    await stream.publish(request.newMessage('0b6f4d4e-2f8c-4c0e-9a3e-3d1d3a4b5c6d'));
    await reader.count(1);
    expect(reader.events).toEqual([
      { type: 'new_message', role: 'provider', messageId: '0b6f4d4e-2f8c-4c0e-9a3e-3d1d3a4b5c6d' },
    ]);
    reader.close();
  });

  test('answers HEAD like GET, without a stream', async () => {
    const response = await fetch(url(topic), { method: 'HEAD' });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    expect(await response.text()).toBe('');
    expect((await fetch(url('topic=x'), { method: 'HEAD' })).status).toBe(400);
  });

  test('answers other methods and paths with problems', async () => {
    const post = await fetch(url(topic), { method: 'POST' });
    expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
    expect((await problemOf(post)).error).toBe('method_not_allowed');
    const otherPath = await fetch(url(topic, '/hubs'));
    expect([otherPath.status, (await problemOf(otherPath)).error]).toEqual([404, 'not_found']);
    expect(otherPath.headers.get('x-frame-options')).toBe('DENY');
  });

  test.each([
    ['no topic', '', [{ path: 'topic', code: 'required' }]],
    ['text that is not a topic', 'topic=/svc/requests/short', [{ path: 'topic[0]', code: 'format' }]],
    ['another spelling', `topic=${request.topic}/`, [{ path: 'topic[0]', code: 'format' }]],
    ['a valid topic and an invalid one', `${topic}&topic=*`, [{ path: 'topic[1]', code: 'format' }]],
    ['101 topics', Array(101).fill(topic).join('&'), [{ path: 'topic', code: 'size' }]],
  ])('refuses %s', async (_, query, fields) => {
    const response = await fetch(url(query));
    expect(response.status).toBe(400);
    expect(await problemOf(response)).toMatchObject({ error: 'invalid_request', fields });
  });

  test('accepts a hundred topics in one stream', async () => {
    const requests = Array.from({ length: 100 }, () => new RequestEvents());
    const reader = await new Reader(
      hub.url,
      requests.map((one) => one.topic),
    ).opened();
    await stream.publish(...requests.map((one) => one.closed()));
    await reader.count(100);
    reader.close();
  });

  test('allows only pages of configured origins to read it', async () => {
    for (const origin of [site, page]) {
      const response = await fetch(url(''), { headers: { origin } });
      expect(response.headers.get('access-control-allow-origin')).toBe(origin);
      const reader = await new Reader(hub.url, [request.topic], { headers: { origin } }).opened();
      expect(reader.head).toContain(`access-control-allow-origin: ${origin}\r\n`);
      reader.close();
    }
    const foreign = await fetch(url(''), { headers: { origin: 'https://evil.example' } });
    expect(foreign.headers.get('access-control-allow-origin')).toBeNull();
    expect(foreign.headers.get('vary')).toBe('Origin');
  });

  test('answers preflights with exactly the methods and headers of the contract', async () => {
    const preflight = (origin: string) =>
      fetch(url(topic), { method: 'OPTIONS', headers: { origin, 'access-control-request-method': 'GET' } });
    const allowed = await preflight(page);
    expect(allowed.status).toBe(204);
    expect(
      Object.fromEntries([...allowed.headers].filter(([name]) => name.startsWith('access-control'))),
    ).toEqual({
      'access-control-allow-origin': page,
      'access-control-allow-methods': 'GET, POST, PUT, DELETE, OPTIONS',
      'access-control-allow-headers': 'Content-Type, Authorization, x-api-key',
      'access-control-expose-headers': 'Retry-After, x-request-id',
      'access-control-max-age': '86400',
    });
    const foreign = await preflight('https://evil.example');
    expect([...foreign.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
    const plain = await fetch(url(topic), { method: 'OPTIONS' });
    expect([plain.status, plain.headers.get('allow')]).toEqual([204, 'GET, HEAD, OPTIONS']);
  });

  test('closes the connection of a stream when its client sends more', async () => {
    const late = await new Reader(hub.url, [request.topic]).opened();
    late.socket.write(`GET /?${topic} HTTP/1.1\r\nhost: x\r\n\r\n`);
    await late.until('the end', () => late.isEnded);
  });

  test('ends a stream when its reader closes the connection, or only its own direction', async () => {
    const half = await new Reader(hub.url, [request.topic]).opened();
    half.socket.end();
    await half.until('the end', () => half.isEnded);
    const whole = await new Reader(hub.url, [request.topic]).opened();
    whole.close();
    await half.until('no stream left', async () =>
      /relay_hub_streams\{access="anonymous",.*\} 0/.test(await hub.metrics()),
    );
  });
});
