import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { Feed } from '../feed/feed.ts';
import { noCheck } from '../feed/position.ts';
import { Audience } from '../stream/audience.ts';
import { Outlet } from '../stream/outlet.ts';
import { Subscriber } from '../stream/subscriber.ts';
import { WriteBatch } from '../stream/write-batch.ts';
import { expiredTogether, RequestEvents } from '../testing/make-event.ts';
import { CatchUp } from './catch-up.ts';

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

class CountingOutlet extends Outlet {
  bytes = 0;

  override write(bytes: Buffer): void {
    this.bytes += bytes.length;
    super.write(bytes);
  }
}

test('who resumes over many events of hundreds of copies each is given no more at once than it takes', async () => {
  reader = connect((server.address() as AddressInfo).port).pause();
  [socket] = (await once(server, 'connection')) as [Socket];

  const feed = new Feed({
    limits: { events: 100, bytes: 2 ** 30 },
    clock: { now: Date.now },
    listener: { onEntry: () => {}, onBreak: () => {} },
  });
  const start = { epoch: 'abc', seq: 0, check: noCheck };
  feed.begin(start);
  const expert = new RequestEvents();
  for (let seq = 1; seq <= 50; seq++) {
    const requests = Array.from({ length: 250 }, () => new RequestEvents(expert.userId));
    feed.append(seq, expiredTogether(...requests).bytes);
  }

  const outlet = new CountingOutlet({
    socket,
    isChunked: true,
    maxWaiting: 2 ** 20,
    batch: new WriteBatch(),
  });
  const catchUp = new CatchUp({
    feed,
    live: new Audience(),
    source: { look: () => Promise.reject(new Error('Nobody looks.')) },
    scans: { add: () => {} },
    metrics: { begun: { inc: () => {} } as never },
  });
  catchUp.open();
  const subscriber = new Subscriber({
    outlet,
    topics: [expert.activityTopic],
    credential: undefined,
    requestId: '',
    network: '',
    openedAt: 0,
    endsAt: 0,
  });
  catchUp.resume(subscriber, start);
  // What is enough, and the event that made it so.
  expect(outlet.bytes).toBeLessThan(65_536 + 100_000);

  let text = '';
  reader.setEncoding('latin1').on('data', (more) => {
    text += more;
  });
  reader.resume();
  while (!subscriber.isLive) await once(reader, 'data');
  while (text.length < outlet.bytes) await once(reader, 'data');
  expect(new Set(text.match(/"requestId":"[^"]+"/g)).size).toBe(50 * 250);
});
