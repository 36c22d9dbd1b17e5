import type { Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises';
import { createLog } from '@expert-relay/kit/log';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { Credential } from '../authorise/stream-token.ts';
import { formatPosition, noCheck, type ResumeFrom } from '../events/position.ts';
import { EventHistory } from '../history/event-history.ts';
import type { Consumer, StreamMessage } from '../nats/consumer.ts';
import { FlushQueue, StreamWriter } from '../sse/stream-writer.ts';
import { Subscriber } from '../sse/subscriber.ts';
import { RequestEvents } from '../testing/make-event.ts';
import { ScanLanes } from './scan-lanes.ts';
import { ScanLimit } from './scan-limit.ts';

const epoch = 'abc';
const count = 100;
const ringEvents = 20;
const request = new RequestEvents();

/** A consumer that delivers when the test calls `deliverAll`. */
interface TestConsumer {
  readonly from: number;
  readonly isYielding: boolean;
  readonly isOver: boolean;
  deliverAll(): void;
}

let messages: StreamMessage[];
let history: EventHistory;
let opened: TestConsumer[];
let failures: number;
let scans: ScanLanes;
let results: Map<Subscriber, string>;

function open(from: number, isYielding: () => boolean = () => false): Consumer {
  let onMessage: (message: StreamMessage) => void = () => {};
  let resolveEnded: (reason: string) => void = () => {};
  let isOver = false;
  const ended = new Promise<string>((resolve) => {
    resolveEnded = resolve;
  });
  opened.push({
    from,
    get isYielding() {
      return isYielding();
    },
    get isOver() {
      return isOver;
    },
    deliverAll() {
      for (const message of messages.slice(from - 1)) if (!isOver) onMessage(message);
    },
  });
  return {
    pending: count - from + 1,
    start(deliver) {
      onMessage = deliver;
    },
    ended,
    end(reason) {
      isOver = true;
      resolveEnded(reason);
    },
  };
}

beforeEach(() => {
  const clock = { now: Date.now };
  history = new EventHistory({ limits: { events: ringEvents, bytes: 2 ** 30 }, clock });
  history.begin({ epoch, seq: 0, check: noCheck });
  messages = Array.from({ length: count }, (_, index) => ({
    seq: index + 1,
    bytes: request.newMessage().bytes,
  }));
  for (const { seq, bytes } of messages) history.append(seq, bytes);
  [opened, failures, results] = [[], 0, new Map()];
  scans = new ScanLanes({
    source: {
      readState: async () => {
        if (failures-- > 0) throw new Error('NATS is away');
        return { epoch, firstSeq: 1, lastSeq: count };
      },
      openConsumer: async (seq, isYielding) => open(seq, isYielding),
    },
    history,
    limit: new ScanLimit({
      limits: { perAddress: 2, perCredential: 2 },
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

function add(from: ResumeFrom, options: { network?: string; credential?: Credential } = {}): Subscriber {
  // Large enough that no reader of these tests is slow.
  const socket = new PassThrough({ highWaterMark: 2 ** 20 }) as unknown as Socket;
  const subscriber = new Subscriber({
    writer: new StreamWriter({
      socket,
      isChunked: true,
      maxBufferedBytes: 2 ** 20,
      flushes: new FlushQueue(),
    }),
    topics: [new RequestEvents().topic],
    credential: options.credential,
    network: options.network ?? '192.0.2.1',
    callId: '',
    openedAt: 0,
    endsAt: 0,
  });
  scans.add(subscriber, from);
  return subscriber;
}

async function until(check: () => boolean): Promise<void> {
  while (!check()) await pause(5);
}

/** After the event with this sequence. */
function after(seq: number): ResumeFrom {
  const check = [...messageChecks()][seq - 1] ?? noCheck;
  return { epoch, seq, check };
}
function* messageChecks(): Iterable<string> {
  const clock = { now: Date.now };
  const reading = new EventHistory({ limits: { events: count, bytes: 2 ** 30 }, clock });
  reading.begin({ epoch, seq: 0, check: noCheck });
  for (const { seq, bytes } of messages) reading.append(seq, bytes);
  for (const { check } of reading.ring) yield check;
}

const key = (id: string): Credential => ({ id: `key:${id}`, since: 0 });
const floor = () => formatPosition(history.ring.floor);

test('short scans, and those of credentials, run while the scan of anonymous readers is under way', async () => {
  const anonymous = [add('earliest'), add('earliest'), add(after(10))];
  await until(() => opened.length === 1);
  expect(opened[0]?.isYielding).toBe(false);

  const far = add('earliest', { credential: key('one') });
  await until(() => opened.length === 2);
  const near = add(after(count - ringEvents - 5));
  await until(() => opened.length === 3);
  expect(opened.map(({ from }) => from)).toEqual([1, 1, count - ringEvents - 5]);
  expect(opened.map(({ isYielding }) => isYielding)).toEqual([true, true, false]);

  opened[2]?.deliverAll();
  await until(() => results.has(near));
  await until(() => opened[1]?.isYielding === false);
  expect(opened[0]?.isYielding).toBe(true);
  opened[1]?.deliverAll();
  await until(() => results.has(far));
  await until(() => opened[0]?.isYielding === false);
  expect(opened[0]?.isOver).toBe(false);
  expect(anonymous.some((one) => results.has(one))).toBe(false);

  opened[0]?.deliverAll();
  await until(() => anonymous.every((one) => results.has(one)));
  expect(new Set(results.values())).toEqual(new Set([floor()]));
});

test('an address has so many scans a minute, however many of its readers share one, and then a reset at once', async () => {
  const served = async (subscribers: Subscriber[]) => {
    const before = opened.length;
    await until(() => opened.length > before);
    opened.at(-1)?.deliverAll();
    await until(() => subscribers.every((one) => results.has(one)));
    return subscribers.map((one) => results.get(one));
  };
  const crowd = () => Array.from({ length: 50 }, () => add('earliest'));
  const first = crowd();
  expect(new Set(await served(first))).toEqual(new Set([floor()]));
  expect(new Set(await served(crowd()))).toEqual(new Set([floor()]));
  expect(opened).toHaveLength(2);

  const late = add('earliest');
  expect(results.get(late)).toBe('reset');
  expect(results.get(add(after(count - ringEvents - 5)))).toBe('reset');
  // A reader that was admitted may come back to more scans.
  const [slow] = first as [Subscriber];
  results.delete(slow);
  scans.add(slow, after(10));
  const others = [add('earliest', { network: '192.0.2.2' }), slow];
  expect(new Set(await served(others))).toEqual(new Set([floor()]));

  const withKey = () => add('earliest', { credential: key('one') });
  await served([withKey()]);
  await served([withKey()]);
  expect(results.get(withKey())).toBe('reset');
  const another = add('earliest', { credential: key('two') });
  await turn();
  expect(results.get(another)).toBeUndefined();
});

test('a reader that waits while NATS is away is served when it is back', async () => {
  failures = 1;
  const waiting = add('earliest');
  await until(() => opened.length === 1);
  opened[0]?.deliverAll();
  await until(() => results.get(waiting) === floor());
});
