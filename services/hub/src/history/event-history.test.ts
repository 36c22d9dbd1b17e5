import { beforeEach, describe, expect, test } from '@jest/globals';
import { noCheck } from '../events/position.ts';
import { RequestEvents, type TestEvent } from '../testing/make-event.ts';
import { EventHistory } from './event-history.ts';

const start = { epoch: 'e', sequence: 0, check: noCheck };
let history: EventHistory;
let now: number;

beforeEach(() => {
  now = 1_000_000;
  history = new EventHistory({ limits: { events: 100, bytes: 1e9 }, clock: { now: () => now } });
  history.restart(start);
});

const append = (...events: TestEvent[]) =>
  events.map(({ bytes }) => history.append(history.current.sequence + 1, bytes).entry);

describe('the history', () => {
  test('keeps the sequence of bytes that are not an event', () => {
    const { entry, event } = history.append(1, Buffer.from('nonsense'));
    expect([entry.sequence, entry.topics, event]).toEqual([1, [], undefined]);
    expect(history.current.sequence).toBe(1);
  });

  test('after a loss, keeps the events before it, and sends the lost ones again', () => {
    const request = new RequestEvents();
    const events = Array.from({ length: 5 }, () => request.newMessage());
    append(...events);
    history.setCaughtUp();
    history.loseAfter(2);
    expect(history.current.sequence).toBe(2);
    const repeated = append(...events.slice(3), request.closed(), ...events.slice(2, 3));
    expect(repeated.map(({ sequence, topics }) => [sequence, topics.length])).toEqual([
      [3, 2],
      [4, 2],
      [5, 2],
      [6, 2],
    ]);
  });
});

describe('the events since a time are all in memory', () => {
  /** The earliest time since when they are, as far as it is one of these. */
  const since = (...times: number[]) => times.find((time) => history.hasAllSince(time));
  const always = 0;
  /** The last time that does not count after something that happened now, and the first one that does. */
  const aMinuteLater = () => [now + 60_000, now + 60_001] as const;

  test('always, if the stream is read from its first event on', () => {
    expect(since(0)).toBe(always);
    append(new RequestEvents().newMessage());
    history.setCaughtUp();
    expect(since(0)).toBe(always);
  });

  test('for times after the newest one of the events that have left memory', () => {
    history = new EventHistory({ limits: { events: 2, bytes: 1e9 }, clock: { now: () => now } });
    history.restart(start);
    const request = new RequestEvents();
    for (const time of [3_000, 5_000, 4_000, 7_000, 6_000]) {
      request.recordedAt = new Date(time);
      append(request.newMessage());
    }
    expect(since(0, 5_000, 5_001)).toBe(5_001);
  });

  test('for times a minute after the start of a hub that has not read the first events', () => {
    history.restart({ ...start, sequence: 8 });
    append(new RequestEvents().newMessage());
    history.setCaughtUp();
    const [before, first] = aMinuteLater();
    expect(since(0, before, first)).toBe(first);
    now += 3_600_000;
    expect(since(0, before, first)).toBe(first);
  });

  test('for times a minute after a gap, and after another stream', () => {
    history.setCaughtUp();
    for (const floor of [
      { ...start, sequence: 20 },
      { ...start, epoch: 'f' },
    ]) {
      now += 500_000;
      const [before, first] = aMinuteLater();
      history.restart(floor);
      expect(since(0, before, first)).toBe(first);
    }
  });

  test('for times a minute after a tail loss', () => {
    const request = new RequestEvents();
    append(request.newMessage(), request.newMessage(), request.newMessage());
    history.setCaughtUp();
    history.loseAfter(1);
    const [before, first] = aMinuteLater();
    expect(since(0, before, first)).toBe(first);
  });
});
