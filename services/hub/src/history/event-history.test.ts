import { beforeEach, describe, expect, test } from '@jest/globals';
import { noCheck } from '../events/position.ts';
import { expiredTogether, RequestEvents, type TestEvent } from '../testing/make-event.ts';
import { EventHistory } from './event-history.ts';

const start = { epoch: 'e', seq: 0, check: noCheck };
let history: EventHistory;

beforeEach(() => {
  history = new EventHistory({ limits: { events: 100, bytes: 1e9 }, clock: { now: () => 1_000_000 } });
  history.restart(start);
});

/** How many topics each event is sent to, and whether it is repeated. */
const append = (...events: TestEvent[]) =>
  events.map(({ bytes }) => {
    const { entry, isRepeated } = history.append(history.current.seq + 1, bytes);
    return { seq: entry.seq, topics: entry.topics.length, isRepeated };
  });
const topicsOf = (received: ReturnType<typeof append>) => received.map(({ topics }) => topics);

describe('the history', () => {
  test('sends an event that the stream holds twice once', () => {
    const request = new RequestEvents();
    const [first, second] = [request.newMessage(), request.newMessage()];
    const received = append(first, second, first, second, request.closed());
    expect(topicsOf(received)).toEqual([2, 2, 0, 0, 2]);
  });

  test('recognises an event about many requests, and older events of each of them', () => {
    const requests = Array.from({ length: 3 }, () => new RequestEvents());
    const earlier = requests.map((request) => request.newMessage());
    const late = requests[2]?.newMessage() as TestEvent;
    const together = expiredTogether(...requests);
    const received = append(...earlier, together, ...earlier, late, together, late);
    expect(topicsOf(received)).toEqual([2, 2, 2, 6, 0, 0, 0, 2, 0, 0]);

    history.setCaughtUp();
    history.loseAfter(3);
    expect(append(together, late, together)).toEqual([
      { seq: 4, topics: 6, isRepeated: true },
      { seq: 5, topics: 2, isRepeated: true },
      { seq: 6, topics: 0, isRepeated: false },
    ]);
  });

  test('has no repeated events after a restart before it has caught up, since it has sent none', () => {
    const event = new RequestEvents().newMessage();
    append(event);
    history.restart(start);
    expect(append(event)).toEqual([{ seq: 1, topics: 2, isRepeated: false }]);
    history.setCaughtUp();
    history.restart(start);
    expect(append(event)).toEqual([{ seq: 1, topics: 2, isRepeated: true }]);
  });

  test('keeps the sequence of bytes that are not an event', () => {
    const { entry, event } = history.append(1, Buffer.from('nonsense'));
    expect([entry.seq, entry.topics, event]).toEqual([1, [], undefined]);
    expect(history.current.seq).toBe(1);
  });

  test('after a loss, keeps the events before it', () => {
    const request = new RequestEvents();
    const events = Array.from({ length: 5 }, () => request.newMessage());
    append(...events);
    history.setCaughtUp();
    history.loseAfter(2);
    expect(history.current.seq).toBe(2);
    expect(append(...events, request.closed())).toEqual([
      { seq: 3, topics: 0, isRepeated: false },
      { seq: 4, topics: 0, isRepeated: false },
      { seq: 5, topics: 2, isRepeated: true },
      { seq: 6, topics: 2, isRepeated: true },
      { seq: 7, topics: 2, isRepeated: true },
      { seq: 8, topics: 2, isRepeated: false },
    ]);
  });
});
