import { setImmediate as turn } from 'node:timers/promises';
import { networkOf } from '@expert-relay/kit/http';
import { createLog } from '@expert-relay/kit/log';
import { eventually } from '@expert-relay/testkit';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { Credential } from '../authorise/stream-token.ts';
import { checkOf, formatPosition, noCheck, type Position, type ResumeFrom } from '../events/position.ts';
import { EventHistory } from '../history/event-history.ts';
import type { StoredStreamState } from '../nats/nats-stream.ts';
import type { Consumer, StoredMessage } from '../nats/ordered-consumer.ts';
import type { Subscriber } from '../sse/subscriber.ts';
import { FakeConsumer } from '../testing/fake-consumer.ts';
import { RequestEvents, type TestEvent } from '../testing/make-event.ts';
import { makeSubscriber } from '../testing/make-subscriber.ts';
import { ScanLanes } from './scan-lanes.ts';
import { ScanLimit } from './scan-limit.ts';

const epoch = 'abc';
const count = 100;
const ringEvents = 20;
const wholeStream = { epoch, firstSeq: 1, lastSeq: count };
const request = new RequestEvents();

/** A consumer of a scan, which reads the stream when the test calls `deliverAll`. */
interface OpenedConsumer {
  readonly from: number;
  readonly isYielding: () => boolean;
  readonly consumer: FakeConsumer;
  deliverAll(): void;
}

let events: TestEvent[];
/** The messages of these events. */
let messages: StoredMessage[];
let history: EventHistory;
let opened: OpenedConsumer[];
let failures: number;
/** What NATS answers about the stream. */
let stream: StoredStreamState;
let stateReads: number;
/** Until it resolves, no consumer is opened. */
let opening: Promise<void> | undefined;
let scans: ScanLanes;
let results: Map<Subscriber, string>;

function open(from: number, isYielding: () => boolean = () => false): Consumer {
  const consumer = new FakeConsumer(count - from + 1);
  const deliverAll = () => consumer.deliver(messages.slice(from - 1));
  opened.push({ from, isYielding, consumer, deliverAll });
  return consumer;
}

beforeEach(() => {
  const clock = { now: Date.now };
  history = new EventHistory({ limits: { events: ringEvents, bytes: 2 ** 30 }, clock });
  history.restart({ epoch, sequence: 0, check: noCheck });
  history.setCaughtUp();
  events = Array.from({ length: count }, () => request.newMessage());
  messages = events.map(({ bytes }, index) => ({ sequence: index + 1, bytes }));
  for (const { sequence, bytes } of messages) history.append(sequence, bytes);
  opened = [];
  results = new Map();
  stream = wholeStream;
  [failures, stateReads, opening] = [0, 0, undefined];
  scans = new ScanLanes({
    natsStream: {
      readState: async () => {
        stateReads++;
        if (failures-- > 0) throw new Error('NATS is away');
        return stream;
      },
      async openConsumer({ epoch, sequence, isYielding }) {
        await opening;
        if (stream.epoch !== epoch) throw new Error('the stream was created again');
        return open(sequence, isYielding);
      },
    },
    history,
    limit: new ScanLimit({
      limits: { perAddress: 2, perCredential: 2, perUser: 3 },
      clock,
      refused: { inc: () => {} } as never,
    }),
    log: createLog('test', { level: 'silent' }),
    destination: {
      resume: (subscriber, from) =>
        results.set(subscriber, from === 'earliest' ? from : formatPosition(from)),
      reset: (subscriber) => results.set(subscriber, 'reset'),
    },
  });
});
afterEach(() => scans.stop());

function add(from: ResumeFrom, options: { address?: string; credential?: Credential } = {}): Subscriber {
  const { address = '192.0.2.1', ...rest } = options;
  const network = networkOf(address);
  const subscriber = makeSubscriber({ topics: [new RequestEvents().topic], network, ...rest });
  scans.add(subscriber, from);
  return subscriber;
}

/** The position of the event with this sequence. */
const at = (sequence: number): Position => ({
  epoch,
  sequence,
  check: checkOf(events[sequence - 1]?.eventId ?? ''),
});
const key = (id: string, userId = 'ada'): Credential => ({ kind: 'key', id: `key:${id}`, userId, since: 0 });
const floor = () => formatPosition(history.ring.floor);
const nearSeq = count - ringEvents - 5;

const hasOpened = (number: number) => eventually(`${number} consumers`, () => opened.length === number);
const stopsYielding = (index: number) =>
  eventually(`consumer ${index} not to yield`, () => opened[index]?.isYielding() === false);
const haveResults = (...subscribers: Subscriber[]) =>
  eventually('the results', () => subscribers.every((one) => results.has(one)));

test('near scans, and those of credentials, do not wait for the scan of anonymous readers', async () => {
  const anonymous = [add('earliest'), add('earliest'), add(at(10))];
  await hasOpened(1);
  expect(opened[0]?.isYielding()).toBe(false);

  const far = add('earliest', { credential: key('one') });
  await hasOpened(2);
  const near = add(at(nearSeq));
  await hasOpened(3);
  expect(opened.map(({ from }) => from)).toEqual([1, 1, nearSeq]);
  expect(opened.map(({ isYielding }) => isYielding())).toEqual([true, true, false]);

  opened[2]?.deliverAll();
  await haveResults(near);
  await stopsYielding(1);
  expect(opened[0]?.isYielding()).toBe(true);
  opened[1]?.deliverAll();
  await haveResults(far);
  await stopsYielding(0);
  expect(opened[0]?.consumer.hasEnded).toBe(false);
  expect(anonymous.some((one) => results.has(one))).toBe(false);

  opened[0]?.deliverAll();
  await haveResults(...anonymous);
  expect(new Set(results.values())).toEqual(new Set([floor()]));
});

test('the scans of an address a minute are limited: readers that share a scan count once, and beyond the limit a reader is reset', async () => {
  const served = async (subscribers: Subscriber[]) => {
    await hasOpened(opened.length + 1);
    opened.at(-1)?.deliverAll();
    await haveResults(...subscribers);
    return new Set(subscribers.map((one) => results.get(one)));
  };
  const addFifty = () => Array.from({ length: 50 }, () => add('earliest'));
  const first = addFifty();
  expect(await served(first)).toEqual(new Set([floor()]));
  expect(await served(addFifty())).toEqual(new Set([floor()]));
  expect(opened).toHaveLength(2);

  const late = add('earliest');
  expect(results.get(late)).toBe('reset');
  expect(results.get(add(at(nearSeq)))).toBe('reset');
  // A reader that was admitted may come back to more scans.
  const [slow] = first as [Subscriber];
  results.delete(slow);
  scans.add(slow, at(10));
  const others = [add('earliest', { address: '192.0.2.2' }), slow];
  expect(await served(others)).toEqual(new Set([floor()]));

  const withKey = (...of: Parameters<typeof key>) => add('earliest', { credential: key(...of) });
  await served([withKey('one')]);
  await served([withKey('one')]);
  expect(results.get(withKey('one'))).toBe('reset');
  // The keys of a user share the limit of the user.
  await served([withKey('two'), withKey('three')]);
  expect(results.get(withKey('four'))).toBe('reset');
  await served([withKey('five', 'bob')]);
});

test('a reader that waits while NATS is away is served when it is back', async () => {
  failures = 1;
  const waiting = add('earliest');
  await hasOpened(1);
  opened[0]?.deliverAll();
  await haveResults(waiting);
  expect(results.get(waiting)).toBe(floor());
});

test('while a stream that was created again is not in the history yet, its readers wait', async () => {
  const again = { epoch: 'def', firstSeq: 1, lastSeq: count };
  stream = again;
  const waiting = add(at(10));
  await eventually('three looks at the stream', () => stateReads >= 3);
  expect(results.has(waiting)).toBe(false);
  history.restart({ epoch: again.epoch, sequence: 0, check: noCheck });
  await haveResults(waiting);
  expect(results.get(waiting)).toBe('reset');
});

test('a stream that is created again while the consumer of a scan is opened is not read as the one before', async () => {
  let finishOpening = () => {};
  opening = new Promise((resolve) => {
    finishOpening = resolve;
  });
  const waiting = add(at(10));
  await eventually('a look at the stream', () => stateReads === 1);
  stream = { epoch: 'def', firstSeq: 1, lastSeq: count };
  finishOpening();
  await haveResults(waiting);
  expect(results.get(waiting)).toBe(formatPosition(at(10)));
  expect(opened).toEqual([]);
});

test('a scan that is stopped or interrupted while its consumer is opened reads nothing', async () => {
  let finishOpening = () => {};
  opening = new Promise((resolve) => {
    finishOpening = resolve;
  });
  const first = add('earliest');
  await eventually('a look at the stream', () => stateReads === 1);
  await turn();
  scans.interrupt();
  expect(results.has(first)).toBe(true);

  const second = add('earliest');
  const stopped = scans.stop();
  finishOpening();
  await stopped;
  expect(opened.map(({ consumer }) => consumer.hasEnded)).toEqual([true]);
  expect(results.has(second)).toBe(false);
});
