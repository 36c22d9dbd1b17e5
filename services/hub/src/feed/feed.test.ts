import { beforeEach, describe, expect, test } from '@jest/globals';
import { expiredTogether, RequestEvents, type TestEvent } from '../testing/make-event.ts';
import { Feed } from './feed.ts';
import { noCheck } from './position.ts';

interface Told {
  readonly seq: number;
  readonly topics: number;
  readonly repeated: boolean;
}

let feed: Feed;
let told: Told[];
let breaks: boolean[];
let now: number;

beforeEach(() => {
  told = [];
  breaks = [];
  now = 1_000_000;
  feed = new Feed({
    limits: { events: 100, bytes: 1e9 },
    clock: { now: () => now },
    listener: {
      onEntry: ({ seq, topics }, _event, repeated) => told.push({ seq, topics: topics.length, repeated }),
      onBreak: (complete) => breaks.push(complete),
    },
  });
  feed.begin({ epoch: 'e', seq: 0, check: noCheck });
});

const take = (...events: TestEvent[]) => {
  for (const { bytes } of events) feed.append(feed.current.seq + 1, bytes);
};

describe('the feed', () => {
  test('drops what the stream holds twice, for everyone', () => {
    const request = new RequestEvents();
    const [first, second] = [request.newMessage(), request.newMessage()];
    take(first, second, first, second, request.closed());
    expect(told.map(({ topics }) => topics)).toEqual([2, 2, 0, 0, 2]);
  });

  test('knows an event about many requests again, and none of theirs from before', () => {
    const requests = Array.from({ length: 3 }, () => new RequestEvents());
    const earlier = requests.map((request) => request.newMessage());
    const late = requests[2]?.newMessage() as TestEvent;
    const together = expiredTogether(...requests);
    take(...earlier, together, ...earlier, late, together, late);
    expect(told.map(({ topics }) => topics)).toEqual([2, 2, 2, 6, 0, 0, 0, 2, 0, 0]);

    feed.cutBack(3);
    told = [];
    take(together, late, together);
    expect(told).toEqual([
      { seq: 4, topics: 6, repeated: true },
      { seq: 5, topics: 2, repeated: true },
      { seq: 6, topics: 0, repeated: false },
    ]);
  });

  test('takes nothing for known when its first reading is begun anew', () => {
    const event = new RequestEvents().newMessage();
    take(event);
    feed.begin({ epoch: 'e', seq: 0, check: noCheck });
    take(event);
    expect(told.map(({ topics }) => topics)).toEqual([2, 2]);
  });

  test('keeps the place of bytes that are no event', () => {
    feed.append(1, Buffer.from('nonsense'));
    expect(told).toEqual([{ seq: 1, topics: 0, repeated: false }]);
    expect(feed.current.seq).toBe(1);
  });

  test('after a cut, tells which events come again, and which are new', () => {
    const request = new RequestEvents();
    const events = Array.from({ length: 5 }, () => request.newMessage());
    take(...events);
    feed.cutBack(2);
    expect([feed.current.seq, breaks, feed.timeline]).toEqual([2, [true], 1]);
    take(...events.slice(2), request.closed());
    expect(told.slice(5)).toEqual([
      { seq: 3, topics: 2, repeated: true },
      { seq: 4, topics: 2, repeated: true },
      { seq: 5, topics: 2, repeated: true },
      { seq: 6, topics: 2, repeated: false },
    ]);
  });

  test('a second cut knows what came before the first', () => {
    const request = new RequestEvents();
    const events = Array.from({ length: 5 }, () => request.newMessage());
    take(...events);
    feed.cutBack(3);
    take(events[3] as TestEvent);
    feed.cutBack(1);
    take(...events.slice(1));
    expect(told.slice(6).map(({ repeated }) => repeated)).toEqual([true, true, true, true]);
  });

  test('is sure of no place until nothing has come again for half a minute', () => {
    const request = new RequestEvents();
    const events = Array.from({ length: 5 }, () => request.newMessage());
    take(...events);
    const [kept, lost] = [feed.ring.at(2), feed.current];
    feed.cutBack(2);
    now += 29_000;
    take(events[2] as TestEvent);
    now += 29_000;
    expect(feed.isSettled).toBe(false);
    expect([kept && feed.isSure(kept), feed.isSure(lost), feed.isSure(feed.current)]).toEqual([
      true,
      false,
      false,
    ]);
    const inBetween = feed.current;
    take(events[3] as TestEvent, events[4] as TestEvent);
    now += 30_000;
    expect(feed.isSettled).toBe(true);
    expect([feed.isSure(inBetween), feed.isSure(feed.current)]).toEqual([false, true]);
    take(request.closed());
    expect([feed.isSure(feed.current), feed.place]).toEqual([true, feed.current]);
  });

  test('tells no place after a cut that would bring the lost events twice', () => {
    const request = new RequestEvents();
    take(...Array.from({ length: 5 }, () => request.newMessage()));
    feed.cutBack(3);
    expect(feed.place).toEqual({ epoch: 'e', seq: 4, check: noCheck });
    expect(feed.isSure(feed.place)).toBe(false);
  });

  test('goes on in another stream, where the old events come again', () => {
    const request = new RequestEvents();
    const events = Array.from({ length: 3 }, () => request.newMessage());
    take(...events);
    feed.restart({ epoch: 'f', seq: 0, check: noCheck });
    expect(breaks).toEqual([false]);
    take(...events, request.closed());
    expect(told.slice(3).map(({ repeated }) => repeated)).toEqual([true, true, true, false]);
    expect(feed.ring.length).toBe(4);
  });
});
