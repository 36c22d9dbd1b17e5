import { setTimeout as pause } from 'node:timers/promises';
import { createTcpProxy, eventually, type OwnNats, startOwnNats } from '@expert-relay/testkit';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { formatPosition } from '../events/position.ts';
import { epochOf } from '../nats/nats-stream.ts';
import { RequestEvents, type TestEvent } from '../testing/make-event.ts';
import { Reader } from '../testing/reader.ts';
import { compare, ResumingReader } from '../testing/resuming-reader.ts';
import { startTestHub, type TestHub } from '../testing/test-hub.ts';
import { openTestStream, type TestStream } from '../testing/test-stream.ts';

let nats: OwnNats;
let stream: TestStream;
let hub: TestHub;
let request: RequestEvents;
const open: { close(): void }[] = [];

beforeEach(async () => {
  nats = await startOwnNats();
  stream = await openTestStream(nats.url);
  hub = await startHub();
  request = new RequestEvents();
});
afterEach(async () => {
  for (const reader of open.splice(0)) reader.close();
  await hub[Symbol.asyncDispose]();
  await stream[Symbol.asyncDispose]();
  await nats[Symbol.asyncDispose]();
});

const startHub = (env: Record<string, string> = {}) =>
  startTestHub({
    prefix: stream.prefix,
    env: { NATS_URL: nats.url, RELAY_HUB_HEARTBEAT: '500ms', ...env },
  });

async function read(from?: string, at = hub): Promise<Reader> {
  const headers = from === undefined ? {} : { 'last-event-id': from };
  const reader = new Reader(at.url, [request.topic], { headers });
  open.push(reader);
  return reader.opened();
}
const messages = (count: number) => Array.from({ length: count }, () => request.newMessage());
async function readiness() {
  const response = await fetch(`${hub.service.opsUrl}/readyz`);
  return { status: response.status, ...((await response.json()) as { away: Record<string, string> }) };
}

/** Publishes as the outbox does: again and again until NATS has acknowledged. */
async function publishUntilStored(event: TestEvent): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    try {
      await stream.publish(event);
      return;
    } catch {
      await pause(100);
    }
  }
  throw new Error('NATS did not come back.');
}

describe('while NATS is', () => {
  test.each([
    [
      'killed and started again',
      async () => {
        await nats.kill();
        await eventually('NATS is away', async () => (await readiness()).away.nats);
        expect(await readiness()).toMatchObject({
          status: 200,
          away: { nats: expect.any(String), stream: 'NATS is away' },
        });
        await nats.start();
      },
    ],
    [
      'frozen for a while',
      async () => {
        nats.freeze();
        await eventually('the stream is away', async () => (await readiness()).away.stream);
        expect((await readiness()).status).toBe(200);
        nats.thaw();
      },
    ],
  ])('%s, streams stay open and get each event once', async (_, fault) => {
    const steady = await read();
    const resuming = new ResumingReader(
      (id) => new Reader(hub.url, [request.topic], { headers: { 'last-event-id': id } }),
    );
    await resuming.reader.opened();
    const ids = Array.from({ length: 150 }, () => crypto.randomUUID());
    const writing = (async () => {
      for (const id of ids) await publishUntilStored(request.newMessage(id));
    })();
    await steady.count(20);
    const reconnecting = (async () => {
      for (let round = 0; round < 20; round++) {
        await pause(150);
        resuming.reconnect();
      }
    })();
    await fault();
    await Promise.all([writing, reconnecting]);
    await steady.count(ids.length);
    await resuming.reader.until('the rest', () => resuming.messageIds.length >= ids.length);
    resuming.reader.close();

    const all = { expected: 150, delivered: 150, lost: 0, doubled: 0, inOrder: true };
    expect(
      compare(
        ids,
        steady.events.map(({ messageId }) => messageId),
      ),
    ).toEqual(all);
    expect(compare(ids, resuming.messageIds)).toEqual(all);
    expect(steady.isEnded).toBe(false);
    expect(steady.named('hub.reset')).toEqual([]);
    await hub.ready();
  });
});

/** NATS loses what was published since `nats.save()`. */
async function loseNewest(): Promise<void> {
  await nats.kill();
  await nats.restore();
  await nats.start();
  await hub.ready();
}
const idsOf = (reader: Reader) => reader.events.map(({ messageId }) => messageId);

describe('a stream that lost its newest events', () => {
  test('and gets them again in another order: no reader loses one, and who has had them gets them twice', async () => {
    const live = await read();
    const kept = messages(5);
    await stream.publish(...kept);
    await live.count(5);
    const positionBefore = live.lastEventId;
    await nats.save();

    const other = new RequestEvents();
    const lost = messages(4);
    await stream.publish(...lost.slice(0, 2), other.newMessage(), ...lost.slice(2));
    await live.count(9);
    const lostPosition = live.lastEventId;
    await loseNewest();

    // Readers that resume before the lost events are published again.
    const early = await read(positionBefore);
    const resumedFromLost = await read(lostPosition);
    await resumedFromLost.until('a reset', () => resumedFromLost.named('hub.reset').length === 1);
    await publishUntilStored(other.newMessage());
    for (const event of [...lost, ...messages(3)]) await publishUntilStored(event);
    const late = await read(positionBefore);

    await live.count(16);
    for (const reader of [early, late, resumedFromLost]) await reader.count(7);
    await pause(100);
    const again = idsOf(live).slice(5, 9);
    expect(idsOf(live).slice(9, 13)).toEqual(again);
    for (const reader of [early, late, resumedFromLost]) expect(idsOf(reader)).toEqual(idsOf(live).slice(9));
    for (const reader of [live, early, late]) expect(reader.named('hub.reset')).toEqual([]);

    const resumed = await read(live.lastEventId);
    await publishUntilStored(request.newMessage('the next'));
    await resumed.count(1);
    expect(idsOf(resumed)).toEqual(['the next']);
  });

  test('and loses them again while it gets them back: no reader loses one or is reset', async () => {
    const before = await read();
    await stream.publish(...messages(2));
    await before.count(2);
    const position = before.lastEventId;
    await nats.save();
    const [c, d] = messages(2) as [TestEvent, TestEvent];
    await stream.publish(c, d);
    await before.count(4);

    await loseNewest();
    const between = await read(position);
    await publishUntilStored(c);
    await between.count(1);
    await loseNewest();
    const after = await read(position);
    for (const event of [c, d, request.newMessage('new')]) await publishUntilStored(event);

    for (const reader of [before, between, after])
      await reader.until('the new event', () => idsOf(reader).at(-1) === 'new');
    const [, , idOfC, idOfD] = idsOf(before);
    expect(idsOf(before).slice(4)).toEqual([idOfC, idOfC, idOfD, 'new']);
    expect(idsOf(between)).toEqual([idOfC, idOfC, idOfD, 'new']);
    expect(idsOf(after)).toEqual([idOfC, idOfD, 'new']);
    for (const reader of [before, between, after]) expect(reader.named('hub.reset')).toEqual([]);
  });
});

describe('a stream that was created again', () => {
  test('is followed within seconds, and live streams are reset without counting as new ones', async () => {
    const live = await read();
    const first = messages(5);
    await stream.publish(...first);
    await live.count(5);
    const oldPosition = live.lastEventId;
    await stream.manager.streams.delete(stream.name);
    await stream.make();
    // The outbox publishes its kept events again, and continues.
    await stream.publish(...first, ...messages(5));
    await live.until('a reset', () => live.named('hub.reset').length === 1);
    const reset = live.named('hub.reset')[0]?.id;
    await publishUntilStored(request.newMessage('after the reset'));
    await live.until('the next event', () => idsOf(live).at(-1) === 'after the reset');
    expect(live.named('hub.reset')).toHaveLength(1);
    const fromReset = await read(reset);
    await fromReset.until('the next event', () => idsOf(fromReset).at(-1) === 'after the reset');
    expect(fromReset.named('hub.reset')).toEqual([]);
    const started = async () =>
      [...(await hub.metrics()).matchAll(/relay_hub_streams_begun_total\{how="(\w+)",.*\} (\d+)/g)].map(
        ([, how, count]) => `${how} ${count}`,
      );
    expect(await started()).toEqual(['now 1', 'resumed 1']);

    const resumed = await read(oldPosition);
    await resumed.until('a reset', () => resumed.named('hub.reset').length === 1);
    expect(await started()).toEqual(['now 1', 'resumed 1', 'reset 1']);
    const whole = await read('earliest');
    await whole.count(11);
  });
});

test('a stream that is created again while a reader is served from it: the reader gets one reset', async () => {
  await stream.publish(...messages(20_000));
  await using small = await startHub({ RELAY_HUB_RING_EVENTS: '5' });
  const scanning = await read('earliest', small);
  await scanning.count(1);
  await stream.manager.streams.delete(stream.name);
  await stream.make();
  await scanning.until('a reset', () => scanning.named('hub.reset').length > 0);
  // When this event arrives, the hub follows the new stream and resets no more readers.
  await publishUntilStored(request.newMessage('the last'));
  await scanning.until('the last event', () => scanning.events.at(-1)?.messageId === 'the last');
  expect(scanning.named('hub.reset')).toHaveLength(1);
});

test('a reader that resumes from a stream which the hub has not noticed yet gets one reset, and every event after it', async () => {
  const live = await read();
  await stream.publish(...messages(5));
  await live.count(5);
  await stream.manager.streams.delete(stream.name);
  await stream.make();
  // As another hub would send it, which has noticed the new stream.
  const { created } = await stream.manager.streams.info(stream.name);
  const resumed = await read(formatPosition({ epoch: epochOf(created), sequence: 1, check: 'deadbeef' }));
  await resumed.until('a reset', () => resumed.named('hub.reset').length > 0);
  await live.until('a reset', () => live.named('hub.reset').length > 0);
  await stream.publish(...messages(3));
  await resumed.count(3);
  await live.count(8);
  expect(resumed.events).toEqual(live.events.slice(5));
  for (const reader of [resumed, live]) expect(reader.named('hub.reset')).toHaveLength(1);
});

test('a consumer that is deleted by others is replaced', async () => {
  const live = await read();
  const [consumer] = await stream.manager.consumers.list(stream.name).next();
  await stream.manager.consumers.delete(stream.name, consumer?.name ?? '');
  await stream.publish(...messages(5));
  await live.count(5);
  expect(live.named('hub.reset')).toEqual([]);
  await hub.ready();
});

test('events that the stream removed before they were read: a reset, and new events after it', async () => {
  await using proxy = await createTcpProxy(nats.url);
  await using cutOff = await startHub({ NATS_URL: proxy.url });
  const live = await read(undefined, cutOff);
  await stream.publish(...messages(5));
  await live.count(5);
  // The hub cannot notice that its consumer is gone, and create another one, before the events are removed.
  proxy.hold();
  for (const { name } of await stream.manager.consumers.list(stream.name).next())
    await stream.manager.consumers.delete(stream.name, name);
  await stream.publish(...messages(5));
  await stream.manager.streams.purge(stream.name, { keep: 2 });
  await proxy.restore();
  await live.until('a reset', () => live.named('hub.reset').length > 0);
  await stream.publish(request.newMessage('after the reset'));
  await live.until('the next event', () => idsOf(live).at(-1) === 'after the reset');
  expect(live.named('hub.reset')).toHaveLength(1);
});

test('a hub that starts before the stream is created waits for it, and opens no stream', async () => {
  await stream.manager.streams.delete(stream.name);
  const waiting = await startTestHub({ prefix: stream.prefix, env: { NATS_URL: nats.url }, isReady: false });
  const reason = async () => {
    const response = await fetch(`${waiting.service.opsUrl}/readyz`);
    return [response.status, await response.text()].join(' ');
  };
  await eventually('its reason', async () => /^503 .*does not exist yet/s.test(await reason()));
  const refused = new Reader(waiting.url, [request.topic]);
  await refused.until('the end', () => refused.isEnded);
  expect(refused.blocks).toMatchObject([{ event: 'hub.end', data: '{"reason":"starting"}' }]);
  await stream.make();
  await waiting.ready();
  const reader = await new Reader(waiting.url, [request.topic]).opened();
  await stream.publish(...messages(1));
  await reader.count(1);
  reader.close();
  await waiting[Symbol.asyncDispose]();
});

test('a hub that is killed and started again serves resuming readers from NATS', async () => {
  const reader = await read();
  await stream.publish(...messages(10));
  await reader.count(10);
  const position = reader.blocks.filter(({ data }) => data)[3]?.id;
  await hub[Symbol.asyncDispose]();
  await stream.publish(...messages(10));
  hub = await startHub({ RELAY_HUB_RING_EVENTS: '5' });
  const resumed = await read(position);
  await resumed.count(16);
  expect(resumed.events.slice(0, 6)).toEqual(reader.events.slice(4));
  expect(resumed.named('hub.reset')).toEqual([]);
});
