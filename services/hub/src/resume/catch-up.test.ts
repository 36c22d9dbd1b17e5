import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer, type Socket } from 'node:net';
import { createLog } from '@expert-relay/kit/log';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { noCheck } from '../events/position.ts';
import { EventHistory } from '../history/event-history.ts';
import { FlushQueue, StreamWriter } from '../sse/stream-writer.ts';
import { Subscriber, SubscribersByTopic } from '../sse/subscriber.ts';
import { expiredTogether, RequestEvents } from '../testing/make-event.ts';
import { CatchUp, nextStep } from './catch-up.ts';
import { ScanLimit } from './scan-limit.ts';

const server = createServer();
let [reader, socket]: [Socket?, Socket?] = [];

beforeEach(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => {
  reader?.destroy();
  socket?.destroy();
  server.close();
});

class CountingWriter extends StreamWriter {
  bytes = 0;

  override write(bytes: Buffer): void {
    this.bytes += bytes.length;
    super.write(bytes);
  }
}

const notUsed = () => Promise.reject(new Error('NATS is not used.'));

test('a reader that resumes over many events of hundreds of copies gets no more at once than it takes', async () => {
  reader = connect((server.address() as AddressInfo).port).pause();
  [socket] = (await once(server, 'connection')) as [Socket];

  const clock = { now: Date.now };
  const history = new EventHistory({ limits: { events: 100, bytes: 2 ** 30 }, clock });
  const start = { epoch: 'abc', seq: 0, check: noCheck };
  history.begin(start);
  const expert = new RequestEvents();
  for (let seq = 1; seq <= 50; seq++) {
    const requests = Array.from({ length: 250 }, () => new RequestEvents(expert.userId));
    history.append(seq, expiredTogether(...requests).bytes);
  }

  const writer = new CountingWriter({
    socket,
    isChunked: true,
    maxBufferedBytes: 2 ** 20,
    flushes: new FlushQueue(),
  });
  const catchUp = new CatchUp({
    history,
    live: new SubscribersByTopic(),
    source: { readState: notUsed, openConsumer: notUsed },
    scanLimit: new ScanLimit({
      limits: { perAddress: 0, perCredential: 0 },
      clock,
      refused: undefined as never,
    }),
    metrics: { begun: { inc: () => {} } as never },
    log: createLog('test', { level: 'silent' }),
  });
  catchUp.beginPending();
  const subscriber = new Subscriber({
    writer,
    topics: [expert.activityTopic],
    credential: undefined,
    callId: '',
    network: '',
    openedAt: 0,
    endsAt: 0,
  });
  catchUp.begin(subscriber, start);
  // A full buffer, and the event that filled it.
  expect(writer.bytes).toBeLessThan(65_536 + 100_000);

  let text = '';
  reader.setEncoding('latin1').on('data', (more) => {
    text += more;
  });
  reader.resume();
  while (!subscriber.isLive) await once(reader, 'data');
  while (text.length < writer.bytes) await once(reader, 'data');
  expect(new Set(text.match(/"requestId":"[^"]+"/g)).size).toBe(50 * 250);
});

describe('the next step after a position', () => {
  const epoch = 'abc';
  const ringSize = 10;
  const count = 30;

  /** The events 1 to 30, of which the ring holds the last ten. */
  function makeHistory(size: number): EventHistory {
    const history = new EventHistory({ limits: { events: size, bytes: 2 ** 30 }, clock: { now: Date.now } });
    history.begin({ epoch, seq: 0, check: noCheck });
    const request = new RequestEvents();
    for (let seq = 1; seq <= count; seq++) history.append(seq, request.newMessage().bytes);
    return history;
  }
  const history = makeHistory(ringSize);
  const checkAt = (seq: number) => (seq === 20 ? history.ring.floor : history.ring.at(seq))?.check ?? noCheck;
  const at = (seq: number, more: object = {}) => ({ epoch, seq, check: checkAt(seq), ...more });

  test.each([
    ['the newest event', at(30), 'replaying'],
    ['an event in the ring', at(25), 'replaying'],
    ['an event in the ring of which copies are missing', at(25, { copies: 1 }), 'replaying'],
    ['the event before the ring', at(20), 'replaying'],
    ['that event, of which copies are missing', at(20, { copies: 1 }), 'scanning'],
    ['an older event', at(5), 'scanning'],
    ['the start of the stream', at(0), 'scanning'],
    ['earliest', 'earliest' as const, 'scanning'],
    ['an event that this hub has not received yet', at(31), 'ahead'],
    ['another event in the ring', at(25, { check: 'deadbeef' }), 'live'],
    ['another stream', at(25, { epoch: 'other' }), 'live'],
  ])('%s', (_, from, state) => {
    expect(nextStep(history, from).state).toBe(state);
  });

  test('earliest, when the ring holds the whole stream', () => {
    expect(nextStep(makeHistory(count), 'earliest')).toMatchObject({ state: 'replaying', from: { seq: 0 } });
  });

  test('a position that is unreliable after a tail loss', () => {
    const broken = makeHistory(ringSize);
    const lost = broken.current;
    broken.loseAfter(25);
    expect(nextStep(broken, lost).state).toBe('live');
    expect(nextStep(broken, broken.current).state).toBe('replaying');
  });
});
