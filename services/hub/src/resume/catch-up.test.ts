import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer, type Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { createLog } from '@expert-relay/kit/log';
import { eventually } from '@expert-relay/testkit';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { noCheck, unknownPosition } from '../events/position.ts';
import { EventHistory } from '../history/event-history.ts';
import { FlushQueue, StreamWriter } from '../sse/stream-writer.ts';
import { SubscribersByTopic } from '../sse/subscriber.ts';
import { RequestEvents } from '../testing/make-event.ts';
import { makeSubscriber } from '../testing/make-subscriber.ts';
import { CatchUp, nextStep } from './catch-up.ts';
import { ScanLimit } from './scan-limit.ts';

const epoch = 'abc';
const start = { epoch, sequence: 0, check: noCheck };
const clock = { now: Date.now };

/** A history that has caught up with an empty stream. */
function makeHistory(ringEvents: number): EventHistory {
  const history = new EventHistory({ limits: { events: ringEvents, bytes: 2 ** 30 }, clock });
  history.restart(start);
  history.setCaughtUp();
  return history;
}

/** Counts the bytes, and the blocks that are `hub.reset`. */
class CountingWriter extends StreamWriter {
  bytes = 0;
  resets = 0;

  override write(chunk: Buffer): void {
    this.bytes += chunk.length;
    if (chunk.includes('hub.reset')) this.resets++;
    super.write(chunk);
  }
}

describe('a subscriber that catches up', () => {
  const server = createServer();
  let [reader, socket]: [Socket?, Socket?] = [];
  let writer: CountingWriter;
  let history: EventHistory;
  let stream: { epoch: string; firstSeq: number; lastSeq: number };
  let stateReads: number;
  let catchUp: CatchUp;

  beforeEach(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    reader = connect((server.address() as AddressInfo).port).pause();
    [socket] = (await once(server, 'connection')) as [Socket];
    writer = new CountingWriter({
      socket,
      isChunked: true,
      maxBufferedBytes: 2 ** 20,
      flushes: new FlushQueue(),
    });
    history = makeHistory(100);
    stateReads = 0;
    catchUp = new CatchUp({
      history,
      live: new SubscribersByTopic(),
      natsStream: {
        async readState() {
          stateReads++;
          return stream;
        },
        openConsumer: () => Promise.reject(new Error('No event is older than the ring.')),
      },
      scanLimit: new ScanLimit({
        limits: { perAddress: 0, perCredential: 0, perUser: 0 },
        clock,
        refused: undefined as never,
      }),
      metrics: { started: { inc: () => {} } as never },
      log: createLog('test', { level: 'silent' }),
    });
  });
  afterEach(async () => {
    await catchUp.stop();
    reader?.destroy();
    socket?.destroy();
    server.close();
  });

  test('gets no more at once than its connection accepts, over many events with long questions', async () => {
    const expert = new RequestEvents();
    for (let sequence = 1; sequence <= 100; sequence++)
      history.append(sequence, new RequestEvents(expert.userId).newRequest('字'.repeat(2_000)).bytes);
    const subscriber = makeSubscriber({ writer, topics: [expert.activityTopic] });
    catchUp.add(subscriber, start);
    // A full buffer, and the chunk that filled it.
    expect(writer.bytes).toBeLessThan(65_536 + 60_000);

    let text = '';
    reader?.setEncoding('latin1').on('data', (more) => {
      text += more;
    });
    reader?.resume();
    await eventually('the subscriber to be live', () => subscriber.isLive);
    await eventually('all bytes', () => text.length >= writer.bytes);
    expect(new Set(text.match(/"requestId":"[^"]+"/g)).size).toBe(100);
  });

  test('is reset when the stream loses the event that it waits for', async () => {
    const request = new RequestEvents();
    for (let sequence = 1; sequence <= 5; sequence++) history.append(sequence, request.newMessage().bytes);
    stream = { epoch, firstSeq: 1, lastSeq: 8 };
    const subscriber = makeSubscriber({ writer, topics: [request.topic] });
    catchUp.add(subscriber, { epoch, sequence: 8, check: noCheck });
    await turn();
    expect(subscriber.state).toBe('ahead');

    stream = { epoch, firstSeq: 1, lastSeq: 3 };
    history.loseAfter(3);
    catchUp.onBreak();
    await eventually('the subscriber to be live', () => subscriber.isLive);
    expect(writer.resets).toBe(1);
  });

  test.each([
    ['the stream before it', epoch],
    ['that stream', 'def'],
    ['an older stream', 'abb'],
  ])(
    'waits, when a stream is created that the hub has not noticed, and is then reset once: with a position of %s',
    async (_, from) => {
      stream = { epoch: 'def', firstSeq: 1, lastSeq: 8 };
      const subscriber = makeSubscriber({ writer });
      catchUp.add(subscriber, { epoch: from, sequence: 8, check: noCheck });
      await eventually('three looks at the stream', () => stateReads >= 3);
      expect([subscriber.state, writer.resets]).toEqual(['ahead', 0]);

      history.restart({ ...start, epoch: 'def' });
      catchUp.onBreak();
      // A position of that stream may be right, until its event is known.
      const request = new RequestEvents();
      for (let sequence = 1; sequence <= 8; sequence++) history.append(sequence, request.newMessage().bytes);
      catchUp.onEvent();
      await eventually('the subscriber to be live', () => subscriber.isLive);
      expect(writer.resets).toBe(1);
    },
  );

  test('is reset when its stream is created again while it waits for an event', async () => {
    stream = { epoch, firstSeq: 1, lastSeq: 8 };
    const subscriber = makeSubscriber({ writer });
    catchUp.add(subscriber, { epoch, sequence: 8, check: noCheck });
    await eventually('a look at the stream', () => stateReads === 1);
    await turn();

    stream = { epoch: 'def', firstSeq: 1, lastSeq: 8 };
    history.restart({ ...start, epoch: 'def' });
    catchUp.onBreak();
    await eventually('the subscriber to be live', () => subscriber.isLive);
    expect(writer.resets).toBe(1);
  });

  test('and all others that are live are reset one after another within ten seconds, and get no event before', () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] });
    try {
      const request = new RequestEvents();
      const subscribers = Array.from({ length: 100 }, () => makeSubscriber({ topics: [request.topic] }));
      for (const one of subscribers) catchUp.add(one, undefined);
      for (const one of subscribers) catchUp.resetSoon(one);
      const live = () => subscribers.filter(({ isLive }) => isLive).length;
      expect([live(), new Set(subscribers.map(({ state }) => state))]).toEqual([0, new Set(['missing'])]);
      jest.advanceTimersByTime(5_000);
      expect(live()).toBeGreaterThan(0);
      expect(live()).toBeLessThan(100);
      jest.advanceTimersByTime(5_000);
      expect(live()).toBe(100);
    } finally {
      jest.useRealTimers();
    }
  });

  test('is reset when its position is of an older stream', async () => {
    stream = { epoch, firstSeq: 1, lastSeq: 0 };
    const subscriber = makeSubscriber({ writer });
    catchUp.add(subscriber, { epoch: 'abb', sequence: 8, check: noCheck });
    await eventually('the subscriber to be live', () => subscriber.isLive);
    expect([writer.resets, stateReads]).toEqual([1, 1]);
  });
});

describe('the next step after a position', () => {
  const ringEvents = 10;
  const count = 30;

  /** The history after 30 events. */
  function historyOf30(size: number): EventHistory {
    const history = makeHistory(size);
    const request = new RequestEvents();
    for (let sequence = 1; sequence <= count; sequence++) {
      request.recordedAt = new Date(timeOf(sequence));
      history.append(sequence, request.newMessage().bytes);
    }
    return history;
  }
  const timeOf = (sequence: number) => 1_000 * sequence;
  const newestGone = timeOf(count - ringEvents);
  const history = historyOf30(ringEvents);
  const checkAt = (sequence: number) =>
    (sequence === 20 ? history.ring.floor : history.ring.at(sequence))?.check ?? noCheck;
  const at = (sequence: number, more: object = {}) => ({
    epoch,
    sequence,
    check: checkAt(sequence),
    ...more,
  });

  test.each([
    ['the newest event', at(30), 'replay'],
    ['an event in the ring', at(25), 'replay'],
    ['an event in the ring of which copies are missing', at(25, { copiesSent: 1 }), 'replay'],
    ['the event before the ring', at(20), 'replay'],
    ['that event, of which copies are missing', at(20, { copiesSent: 1 }), 'scan'],
    ['an older event', at(5), 'scan'],
    ['the start of the stream', at(0), 'scan'],
    ['earliest', 'earliest' as const, 'scan'],
    ['an event that this hub has not received yet', at(31), 'wait'],
    ['another event in the ring', at(25, { check: 'deadbeef' }), 'reset'],
    ['another stream', at(25, { epoch: 'other' }), 'wait'],
    ['text that is not from a hub', unknownPosition, 'reset'],
    ['a time after all events that have left memory', { since: newestGone + 1 }, 'replay'],
    ['the time of the newest of these', { since: newestGone }, 'reset'],
  ])('%s', (_, from, action) => {
    expect(nextStep(history, from).action).toBe(action);
  });

  test('earliest, when the ring holds the whole stream', () => {
    expect(nextStep(historyOf30(count), 'earliest')).toMatchObject({
      action: 'replay',
      from: { sequence: 0 },
    });
  });

  test('a time, when the ring holds the whole stream', () => {
    expect(nextStep(historyOf30(count), { since: 0 })).toEqual({ action: 'replay', from: start });
  });

  test('a time, after a loss', () => {
    const afterLoss = historyOf30(count);
    afterLoss.loseAfter(25);
    expect(nextStep(afterLoss, { since: Date.now() }).action).toBe('reset');
    expect(nextStep(afterLoss, { since: Date.now() + 3_600_000 }).action).toBe('replay');
  });

  test('the position of a lost event, before and after its sequence was used again', () => {
    const afterLoss = historyOf30(ringEvents);
    const lost = afterLoss.ring.at(26) ?? unknownPosition;
    afterLoss.loseAfter(25);
    expect(nextStep(afterLoss, lost).action).toBe('wait');
    expect(nextStep(afterLoss, afterLoss.current).action).toBe('replay');
    afterLoss.append(26, new RequestEvents().newMessage().bytes);
    expect(nextStep(afterLoss, lost).action).toBe('reset');
  });
});
