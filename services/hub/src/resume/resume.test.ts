import { setTimeout as pause } from 'node:timers/promises';
import { startPositionOf } from '@expert-relay/contracts';
import { describe, expect, test } from '@jest/globals';
import { RequestEvents, type TestEvent } from '../testing/make-event.ts';
import { Reader } from '../testing/reader.ts';
import { compare, ResumingReader } from '../testing/resuming-reader.ts';
import { makeToken, startTestHub } from '../testing/test-hub.ts';
import { useTwoHubs } from '../testing/use-two-hubs.ts';

const hubs = useTwoHubs();

const messagesOf = (request: RequestEvents, count: number) => {
  const ids = Array.from({ length: count }, () => crypto.randomUUID());
  return { ids, events: ids.map((id) => request.newMessage(id)) };
};
const from = (id: string) => ({ headers: { 'last-event-id': id } });
const idsOf = (reader: Reader) => reader.events.map(({ messageId }) => messageId);

describe.each([
  ['from memory', () => hubs.hub],
  ['from NATS', () => hubs.small],
])('resuming %s', (_, hubOfCase) => {
  test('200 reconnects at random while events flow: no event is lost or repeated, all are in order', async () => {
    const request = new RequestEvents();
    const other = new RequestEvents();
    const resuming = new ResumingReader((id) => new Reader(hubOfCase().url, [request.topic], from(id)));
    await resuming.reader.opened();

    const { ids, events } = messagesOf(request, 600);
    const noise = messagesOf(other, 600).events;
    const writing = (async () => {
      for (let at = 0; at < events.length; at += 3) {
        await hubs.stream.publish(...events.slice(at, at + 3), ...noise.slice(at, at + 3));
      }
    })();
    for (let round = 0; round < 200; round++) {
      await pause(Math.random() * 12);
      resuming.reconnect();
      // Sometimes it disconnects before the hub has sent anything.
      if (Math.random() < 0.8) await resuming.reader.opened();
    }
    await writing;
    await resuming.reader.until('all messages', () => resuming.messageIds.length >= ids.length);
    await pause(50);
    resuming.reader.close();

    const result = compare(ids, resuming.messageIds);
    process.stdout.write(`${resuming.reconnects} reconnects: ${JSON.stringify(result)}\n`);
    expect(result).toEqual({ expected: 600, delivered: 600, lost: 0, doubled: 0, inOrder: true });
    expect(resuming.resets).toBe(0);
  });

  test('by header, by either query parameter, and from the oldest event', async () => {
    const request = new RequestEvents();
    const { ids, events } = messagesOf(request, 12);
    await hubs.stream.publish(...events);
    const whole = new Reader(hubOfCase().url, [request.topic], from('earliest'));
    await whole.count(12);
    expect(idsOf(whole)).toEqual(ids);
    const positions = whole.blocks.filter(({ data }) => data).map(({ id }) => id ?? '');

    const readers = [
      new Reader(hubOfCase().url, [request.topic], from(positions[2] ?? '')),
      new Reader(hubOfCase().url, [request.topic], { query: { lastEventId: positions[2] ?? '' } }),
      new Reader(hubOfCase().url, [request.topic], { query: { last_event_id: positions[2] ?? '' } }),
      // A browser's header is newer than the address that it began with.
      new Reader(hubOfCase().url, [request.topic], {
        ...from(positions[2] ?? ''),
        query: { lastEventId: positions[9] ?? '' },
      }),
    ];
    for (const reader of readers) {
      await reader.count(9);
      expect(idsOf(reader)).toEqual(ids.slice(3));
      reader.close();
    }
    whole.close();
  });

  test('a position is valid for all topics', async () => {
    const [one, other] = [new RequestEvents(), new RequestEvents()];
    const reader = await new Reader(hubOfCase().url, [one.topic]).opened();
    await hubs.stream.publish(one.newMessage(), other.newMessage('0b6f4d4e-2f8c-4c0e-9a3e-3d1d3a4b5c6d'));
    await reader.count(1);
    reader.close();
    const later = new Reader(hubOfCase().url, [other.topic], from(reader.lastEventId));
    await later.count(1);
    later.close();
  });

  test('two topics of one event: a break between the two copies neither loses nor repeats one', async () => {
    const request = new RequestEvents();
    const { topic, activityTopic } = request;
    const headers = { authorization: `Bearer ${await makeToken([topic, activityTopic])}` };
    const reader = await new Reader(hubOfCase().url, [activityTopic, topic], { headers }).opened();
    await hubs.stream.publish(request.newMessage(), request.newMessage());
    await reader.count(4);
    reader.close();
    expect(reader.events.map((event) => 'requestId' in event)).toEqual([false, true, false, true]);

    const blocks = reader.blocks.filter(({ data }) => data);
    expect(new Set(blocks.map(({ id }) => id)).size).toBe(4);
    for (const [index, { id }] of blocks.entries()) {
      const later = new Reader(hubOfCase().url, [activityTopic, topic], {
        headers: { ...headers, ...from(id ?? '').headers },
      });
      await later.opened();
      await later.count(3 - index);
      await pause(20);
      expect(later.events).toEqual(reader.events.slice(index + 1));
      later.close();
    }
  });

  test.each([
    ['of another stream', (id: string) => id.replace(/^\w+/, 'abc')],
    ['that is not from a hub', () => '12345'],
    ['of another event', (id: string) => id.replace(/\w+$/, '12345678')],
    ['beyond the end', (id: string) => id.replace(/\.\d+\./, '.1000000.')],
  ])('a position %s: a reset with the position after which the stream continues', async (__, change) => {
    const request = new RequestEvents();
    const before = await new Reader(hubOfCase().url, [request.topic]).opened();
    await hubs.stream.publish(...messagesOf(request, 10).events);
    await before.count(10);
    before.close();
    const reader = new Reader(hubOfCase().url, [request.topic], from(change(before.lastEventId)));
    await reader.until('a reset', () => reader.named('hub.reset').length > 0);
    const [reset] = reader.named('hub.reset');
    expect(JSON.parse(reset?.data ?? '')).toEqual({ id: reset?.id });
    expect(reader.events).toEqual([]);
    await hubs.stream.publish(request.newMessage());
    await reader.count(1);
    reader.close();

    const resumed = await new Reader(hubOfCase().url, [request.topic], from(reset?.id ?? '')).opened();
    await resumed.count(1);
    expect(resumed.named('hub.reset')).toEqual([]);
    resumed.close();
  });
});

test('many readers that resume from far back share one scan', async () => {
  const requests = Array.from({ length: 100 }, () => new RequestEvents());
  const before = await new Reader(hubs.small.url, [requests[0]?.topic ?? '']).opened();
  before.close();
  const events: TestEvent[] = [];
  for (let round = 0; round < 20; round++) events.push(...requests.map((request) => request.newMessage()));
  await hubs.stream.publish(...events);
  const readers = requests.map(({ topic }) => new Reader(hubs.small.url, [topic], from(before.lastEventId)));
  for (const reader of readers) await reader.count(20);
  for (const reader of readers) {
    expect(new Set(idsOf(reader)).size).toBe(20);
    reader.close();
  }
});

test('a position that another hub has sent earlier: the reader waits, without a reset', async () => {
  const request = new RequestEvents();
  const reader = await new Reader(hubs.hub.url, [request.topic]).opened();
  for (let round = 0; round < 30; round++) {
    const publishing = hubs.stream.publish(request.newMessage());
    await reader.count(round + 1);
    const later = new Reader(hubs.small.url, [request.topic], from(reader.lastEventId));
    await publishing;
    await later.opened();
    expect(later.named('hub.reset')).toEqual([]);
    later.close();
  }
  reader.close();
});

describe('a start position', () => {
  /** As the response to a submit that was made now has it. */
  const atStart = () => from(startPositionOf(Date.now()));
  const positionsOf = (reader: Reader) => reader.blocks.filter(({ data, id }) => id && !data);

  test('brings the events from before the stream, then a position from which it is resumed, then live ones', async () => {
    const request = new RequestEvents();
    const at = atStart();
    const { ids, events } = messagesOf(request, 4);
    const before = await new Reader(hubs.hub.url, [request.topic]).opened();
    await hubs.stream.publish(...events.slice(0, 2));
    await before.count(2);
    before.close();
    const reader = new Reader(hubs.hub.url, [request.topic], at);
    await reader.until('a position', () => positionsOf(reader).length > 0);
    expect(idsOf(reader)).toEqual(ids.slice(0, 2));
    await hubs.stream.publish(...events.slice(2, 3));
    await reader.count(3);
    reader.close();
    const resumed = new Reader(hubs.hub.url, [request.topic], from(positionsOf(reader)[0]?.id ?? ''));
    await hubs.stream.publish(...events.slice(3));
    await resumed.count(2);
    expect([idsOf(reader), idsOf(resumed)]).toEqual([ids.slice(0, 3), ids.slice(2)]);
    for (const one of [reader, resumed]) {
      expect(one.named('hub.reset')).toEqual([]);
      one.close();
    }
  });

  test('of a request without events yet: a position at once', async () => {
    const request = new RequestEvents();
    const reader = new Reader(hubs.hub.url, [request.topic], {
      query: { lastEventId: startPositionOf(Date.now()) },
    });
    await reader.until('a position', () => positionsOf(reader).length > 0);
    expect([reader.events, reader.named('hub.reset')]).toEqual([[], []]);
    reader.close();
  });

  test('begins with a reset when events of that time have left memory, or may have', async () => {
    const request = new RequestEvents();
    const at = atStart();
    const live = await new Reader(hubs.small.url, [request.topic]).opened();
    await hubs.stream.publish(...messagesOf(request, 7).events);
    await live.count(7);
    live.close();
    // Not all of its events were read by this hub.
    const started = await startTestHub({ prefix: hubs.stream.prefix, env: { RELAY_HUB_RING_EVENTS: '5' } });
    try {
      for (const { url } of [hubs.small, started]) {
        const reader = new Reader(url, [request.topic], at);
        await reader.until('a reset', () => reader.named('hub.reset').length > 0);
        expect(reader.events).toEqual([]);
        reader.close();
      }
    } finally {
      await started[Symbol.asyncDispose]();
    }
  });
});
