import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { RequestEvents } from '../testing/make-event.ts';
import { Reader, type ReaderOptions } from '../testing/reader.ts';
import { openStuckReaders } from '../testing/stuck-readers.ts';
import { makeToken, startTestHub, type TestHub } from '../testing/test-hub.ts';
import { openTestStream, type TestStream } from '../testing/test-stream.ts';

let stream: TestStream;
const open: Reader[] = [];
const request = new RequestEvents();
const { topic } = request;

beforeAll(async () => {
  stream = await openTestStream();
});
afterEach(() => {
  for (const reader of open.splice(0)) reader.close();
});
afterAll(async () => {
  await stream[Symbol.asyncDispose]();
});

const startHub = (env: Record<string, string>) => startTestHub({ prefix: stream.prefix, env });

async function connectTo(
  hub: TestHub,
  topics: readonly string[] = [topic],
  options?: ReaderOptions,
): Promise<Reader> {
  const reader = new Reader(hub.url, topics, options);
  open.push(reader);
  await reader.until('a response', () => reader.head !== '');
  return reader;
}

describe('heartbeats', () => {
  test('are sent to every stream in each period, and move its position', async () => {
    await using hub = await startHub({ RELAY_HUB_HEARTBEAT: '200ms' });
    const start = performance.now();
    const readers = await Promise.all(Array.from({ length: 20 }, () => connectTo(hub)));
    const other = new RequestEvents();
    const published = await stream.publish(other.newMessage());
    const heartbeatsOf = (reader: Reader) =>
      reader.blocks.filter(({ comment, retry }) => comment !== undefined && retry === undefined);
    for (const reader of readers) {
      await reader.until('heartbeats', () => heartbeatsOf(reader).length >= 4);
      await reader.until('the new position', () => Number(reader.lastEventId.split('.')[1]) >= published);
    }
    const periods = (performance.now() - start) / 200;
    for (const reader of readers) {
      expect(heartbeatsOf(reader).length).toBeLessThanOrEqual(Math.ceil(periods) + 1);
      expect(heartbeatsOf(reader).at(-1)?.id).toBe(heartbeatsOf(reader).at(-1)?.comment);
      expect(reader.events).toEqual([]);
    }
    // A position from a heartbeat: no event before it is repeated.
    const position = readers[0]?.lastEventId ?? '';
    const later = await connectTo(hub, [other.topic], { headers: { 'last-event-id': position } });
    await stream.publish(other.closed());
    await later.count(1);
    expect(later.events).toEqual([{ type: 'request_closed', refCode: other.refCode }]);
  });
});

describe('caps', () => {
  test.each([
    ['the process', { RELAY_HUB_MAX_STREAMS: '2' }],
    ['an address', { RELAY_HUB_MAX_STREAMS_PER_ADDRESS: '2' }],
    ['anonymous streams', { RELAY_HUB_MAX_STREAMS_ANONYMOUS: '2' }],
  ])('of %s: an EventSource gets hub.end, others get 503', async (_, env) => {
    await using hub = await startHub({ ...env, RELAY_HUB_BUSY_RETRY: '40s' });
    const first = await connectTo(hub);
    await connectTo(hub);

    const browser = await connectTo(hub);
    await browser.until('the end', () => browser.isEnded);
    expect(browser.status).toBe(200);
    expect(browser.head).toMatch(/content-type: text\/event-stream/i);
    const [block] = browser.blocks;
    expect(block).toMatchObject({ event: 'hub.end', data: '{"reason":"too_many_streams"}' });
    expect(Number(block?.retry)).toBeGreaterThanOrEqual(20_000);
    expect(Number(block?.retry)).toBeLessThanOrEqual(60_000);

    const script = await connectTo(hub, [topic], { headers: { accept: '*/*' } });
    expect(script.status).toBe(503);
    expect(script.head).toMatch(/retry-after: \d+/i);
    expect(script.head).toContain('application/problem+json');

    first.close();
    await browser.until('room for another stream', async () =>
      /relay_hub_streams\{access="anonymous",.*\} 1\n/.test(await hub.metrics()),
    );
    const next = await connectTo(hub);
    await next.opened();
    expect(next.named('hub.end')).toEqual([]);
  });

  test('of a credential, and of anonymous streams: others can still be opened', async () => {
    await using hub = await startHub({
      RELAY_HUB_MAX_STREAMS_PER_CREDENTIAL: '1',
      RELAY_HUB_MAX_STREAMS_ANONYMOUS: '1',
    });
    const as = async (id: string) => ({
      headers: {
        authorization: `Bearer ${await makeToken([topic], { cred: { kind: 'provider', id } })}`,
        accept: '*/*',
      },
    });
    expect((await connectTo(hub, [topic], await as('one'))).status).toBe(200);
    expect((await connectTo(hub, [topic], await as('one'))).status).toBe(503);
    expect((await connectTo(hub, [topic], await as('two'))).status).toBe(200);
    expect((await connectTo(hub)).named('hub.end')).toEqual([]);
    expect((await connectTo(hub, [topic], { headers: { accept: '*/*' } })).status).toBe(503);
    expect((await connectTo(hub, [topic], await as('three'))).status).toBe(200);
    expect(await hub.metrics()).toMatch(/relay_hub_streams_refused_total\{reason="credential",.*\} 1/);
  });

  test('of a user: many keys and sessions have one share, and others can still be opened', async () => {
    await using hub = await startHub({
      RELAY_HUB_MAX_STREAMS_PER_CREDENTIAL: '2',
      RELAY_HUB_MAX_STREAMS_PER_USER: '5',
    });
    const openAs = async (userId: string, id: string, kind = 'consumer') => {
      const token = await makeToken([topic], { userId, cred: { kind, id: `${userId}-${id}` } });
      return connectTo(hub, [topic], { headers: { authorization: `Bearer ${token}`, accept: '*/*' } });
    };
    const opened: Reader[] = [];
    for (let key = 0; key < 36; key++) opened.push(await openAs('ada', String(key), 'provider'));
    expect(opened.map(({ status }) => status)).toEqual([...Array(5).fill(200), ...Array(31).fill(503)]);
    expect((await openAs('ada', 'a session', 'session')).status).toBe(503);
    expect(await hub.metrics()).toMatch(/relay_hub_streams_refused_total\{reason="user",.*\} 32/);
    expect((await openAs('bob', '1')).status).toBe(200);

    opened[0]?.close();
    await opened[1]?.until(
      'room for another stream',
      async () => (await openAs('ada', 'next')).status === 200,
    );
    expect((await openAs('ada', 'last')).status).toBe(503);
  });

  test('count by the client behind a trusted proxy', async () => {
    await using hub = await startHub({
      RELAY_HUB_MAX_STREAMS_PER_ADDRESS: '1',
      RELAY_TRUSTED_PROXIES: '127.0.0.0/8',
    });
    const from = (address: string) => ({ headers: { 'x-forwarded-for': address, accept: '*/*' } });
    const statuses = [];
    for (const address of ['203.0.113.5', '203.0.113.6', '203.0.113.5', '2001:db8::1', '2001:db8::2']) {
      statuses.push((await connectTo(hub, [topic], from(address))).status);
    }
    expect(statuses).toEqual([200, 200, 503, 200, 503]);
  });
});

describe('readers that do not read', () => {
  const big = '😀'.repeat(2_000);

  async function flood(hub: TestHub, until: () => Promise<boolean>): Promise<Reader> {
    const provider = new RequestEvents();
    const headers = { authorization: `Bearer ${await makeToken([provider.providerTopic])}` };
    const stuck = await connectTo(hub, [provider.providerTopic], { headers });
    const fast = await connectTo(hub, [provider.providerTopic], { headers });
    await Promise.all([stuck.opened(), fast.opened()]);
    stuck.socket.pause();
    let sent = 0;
    while (sent < 2_000 && !(await until())) sent = await publishBatch(provider, sent, fast);
    return stuck;
  }

  /** Five events, 41 KB: they never disconnect a reader of 64 KiB that has received all others. */
  async function publishBatch(provider: RequestEvents, sent: number, reader: Reader): Promise<number> {
    await stream.publish(
      ...Array.from({ length: 5 }, () => new RequestEvents(provider.userId).newRequest(big)),
    );
    await reader.count(sent + 5);
    return sent + 5;
  }

  const ended = (hub: TestHub, reason: string) => async () =>
    new RegExp(`relay_hub_streams_ended_total\\{reason="${reason}",.*\\} 1`).test(await hub.metrics());

  test('are disconnected when too many bytes wait for them', async () => {
    await using hub = await startHub({ RELAY_HUB_SUBSCRIBER_MAX_BYTES: '65536' });
    const stuck = await flood(hub, ended(hub, 'slow'));
    stuck.socket.resume();
    await stuck.until('the end', () => stuck.isEnded);
    expect(await ended(hub, 'slow')()).toBe(true);
  });

  test('are disconnected when they have accepted nothing for too long', async () => {
    await using hub = await startHub({
      RELAY_HUB_SUBSCRIBER_MAX_BYTES: '1000000000',
      RELAY_HUB_SUBSCRIBER_MAX_STALL: '300ms',
      RELAY_HUB_HEARTBEAT: '100ms',
    });
    await flood(hub, ended(hub, 'stalled'));
    await open[0]?.until('the disconnection', ended(hub, 'stalled'));
  });

  test('get all missed events from far back, at their own speed, without being disconnected', async () => {
    const provider = new RequestEvents();
    const headers = { authorization: `Bearer ${await makeToken([provider.providerTopic])}` };
    await using hub = await startHub({ RELAY_HUB_SUBSCRIBER_MAX_BYTES: '65536' });
    // A slow reader needs many scans, which count as one.
    await using small = await startHub({
      RELAY_HUB_SUBSCRIBER_MAX_BYTES: '65536',
      RELAY_HUB_RING_EVENTS: '5',
      RELAY_HUB_SCANS_PER_CREDENTIAL: '1',
    });
    const before = await connectTo(hub, [provider.providerTopic], { headers });
    await before.opened();
    for (let sent = 0; sent < 1_000; ) sent = await publishBatch(provider, sent, before);
    for (const which of [hub, small]) {
      const slow = new Reader(which.url, [provider.providerTopic], {
        headers: { ...headers, 'last-event-id': before.blocks[0]?.id ?? '' },
      });
      open.push(slow);
      await slow.opened();
      slow.socket.pause();
      await pause(300);
      slow.socket.resume();
      await slow.count(1_000);
      await pause(50);
      expect(slow.events).toHaveLength(1_000);
      expect(slow.named('hub.reset')).toEqual([]);
    }
  });
});

describe('a hundred readers that never read', () => {
  const count = 100;
  const endedBy = async (hub: TestHub) => {
    const found = (await hub.metrics()).matchAll(/relay_hub_streams_ended_total\{reason="(\w+)",.*\} (\d+)/g);
    return Object.fromEntries([...found].map(([, reason, times]) => [reason, Number(times)]));
  };

  test('are disconnected when they accept nothing for too long, and need no more memory than one until then', async () => {
    const provider = new RequestEvents();
    const token = await makeToken([provider.providerTopic]);
    await using hub = await startHub({
      RELAY_HUB_SUBSCRIBER_MAX_STALL: '1s',
      RELAY_HUB_HEARTBEAT: '200ms',
      RELAY_HUB_MAX_STREAMS_PER_CREDENTIAL: '0',
    });
    const path = `/?topic=${encodeURIComponent(provider.providerTopic)}&authorization=${token}`;
    using _ = await openStuckReaders(hub.url, path, count);
    const fast = await connectTo(hub, [provider.providerTopic], { query: { authorization: token } });
    await fast.opened();
    await fast.until('all streams', async () =>
      /relay_hub_streams\{access="credential",.*\} 101/.test(await hub.metrics()),
    );

    const before = process.memoryUsage().arrayBuffers;
    let most = 0;
    const events = Array.from({ length: 100 }, () =>
      new RequestEvents(provider.userId).newRequest('😀'.repeat(2_000)),
    );
    for (let at = 0; at < events.length; at += 10) {
      await stream.publish(...events.slice(at, at + 10));
      most = Math.max(most, process.memoryUsage().arrayBuffers - before);
    }
    await fast.count(events.length);
    await fast.until('the disconnection', async () => (await endedBy(hub)).stalled === count);
    expect(await endedBy(hub)).toEqual({ stalled: count });
    // Each has 800 KB waiting for it. It is the same 800 KB for all of them.
    expect(most).toBeLessThan(20_000_000);
    expect(fast.isEnded).toBe(false);
  });

  test('are disconnected at the end of their lifetime although they never read the end', async () => {
    await using hub = await startHub({ RELAY_HUB_STREAM_LIFETIME: '1s', RELAY_HUB_HEARTBEAT: '200ms' });
    using _ = await openStuckReaders(hub.url, `/?topic=${topic}`, count);
    const watcher = await connectTo(hub);
    await watcher.until('their ends', async () => ((await endedBy(hub)).lifetime ?? 0) >= count);
    await watcher.until('no stream left', async () =>
      /relay_hub_streams\{access="anonymous",.*\} 0/.test(await hub.metrics()),
    );
  });
});

describe('the end of a stream', () => {
  test('is sent when its lifetime is over, with its position and the time to reconnect', async () => {
    await using hub = await startHub({ RELAY_HUB_STREAM_LIFETIME: '2s', RELAY_HUB_HEARTBEAT: '100ms' });
    const readUntilEnd = async () => {
      const start = performance.now();
      const reader = await connectTo(hub);
      await stream.publish(request.newMessage());
      await reader.until('the end', () => reader.isEnded);
      // The lifetime is up to a fifth shorter.
      expect(performance.now() - start).toBeGreaterThan(1_590);
      return reader;
    };
    let reader = await readUntilEnd();
    // When NATS answers late, the stream may end before the event.
    while (reader.events.length === 0) reader = await readUntilEnd();
    expect(reader.blocks.at(-1)).toMatchObject({ event: 'hub.end', data: '{"reason":"lifetime"}' });
    expect(Number(reader.blocks.at(-1)?.retry)).toBeGreaterThanOrEqual(1_000);
    expect(reader.lastEventId).toBe(
      reader.blocks.findLast(({ data, event }) => event === 'message' && data)?.id,
    );
  });

  test('is spread out when the hub stops, and no new stream is opened', async () => {
    const hub = await startHub({ RELAY_HUB_DRAIN_SPREAD: '2s' });
    const readers = await Promise.all(Array.from({ length: 40 }, () => connectTo(hub)));
    const ends: number[] = [];
    for (const reader of readers) reader.socket.once('close', () => ends.push(performance.now()));
    const stopping = hub.service.stop();
    await readers[0]?.until('the first end', () => ends.length > 0);
    const late = await connectTo(hub);
    await late.until('the end', () => late.isEnded);
    expect(late.blocks.at(-1)).toMatchObject({ event: 'hub.end', data: '{"reason":"stopping"}' });
    await stopping;

    expect(ends).toHaveLength(40);
    // Two streams end every 100 ms.
    expect((ends[29] ?? 0) - (ends[9] ?? 0)).toBeGreaterThan(500);
    const retries = readers.map((reader) => Number(reader.blocks.at(-1)?.retry));
    expect(new Set(retries).size).toBeGreaterThan(10);
    expect(readers.every((reader) => reader.named('hub.end')[0]?.data === '{"reason":"stopping"}')).toBe(
      true,
    );
  });

  test('loses no event for a reader that reconnects to another hub, while events flow', async () => {
    const other = new RequestEvents();
    const old = await startHub({ RELAY_HUB_DRAIN_SPREAD: '300ms' });
    await using next = await startHub({});
    const reader = await connectTo(old, [other.topic]);
    await reader.opened();
    const ids = Array.from({ length: 100 }, () => crypto.randomUUID());
    const writing = (async () => {
      for (const id of ids) await stream.publish(other.newMessage(id));
    })();
    await reader.count(20);
    await old.service.stop();
    await reader.until('the end', () => reader.isEnded);
    const later = await connectTo(next, [other.topic], { headers: { 'last-event-id': reader.lastEventId } });
    await writing;
    await later.until('the rest', () => reader.events.length + later.events.length >= 100);
    expect([...reader.events, ...later.events].map(({ messageId }) => messageId)).toEqual(ids);
  });
});
