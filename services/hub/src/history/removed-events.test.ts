import { createLog } from '@expert-relay/kit/log';
import type { Nats } from '@expert-relay/kit/nats';
import { eventually } from '@expert-relay/testkit';
import { expect, test } from '@jest/globals';
import type { NatsStream } from '../nats/nats-stream.ts';
import { FakeConsumer } from '../testing/fake-consumer.ts';
import { RequestEvents } from '../testing/make-event.ts';
import { EventHistory } from './event-history.ts';
import { Follower } from './follower.ts';

test('events that the stream removed while the hub was disconnected: a gap, although no new event comes', async () => {
  const history = new EventHistory({ limits: { events: 100, bytes: 1e9 }, clock: { now: Date.now } });
  const opened: { from: number; consumer: FakeConsumer }[] = [];
  const breaks: object[] = [];
  let state = { epoch: 'abc', firstSeq: 1, lastSeq: 5 };
  const natsStream: Pick<NatsStream, 'readState' | 'openConsumer'> = {
    readState: async () => state,
    async openConsumer({ sequence }) {
      const consumer = new FakeConsumer(state.lastSeq + 1 - sequence);
      opened.push({ from: sequence, consumer });
      return consumer;
    },
  };
  const follower = new Follower({
    nats: { connected: true } as Nats,
    natsStream: natsStream as NatsStream,
    history,
    initialEvents: 100,
    onCaughtUp() {},
    onEvent() {},
    onBreak: (change) => breaks.push(change),
    log: createLog('test', { level: 'silent' }),
  });
  await follower.start();
  try {
    await eventually('the first consumer', () => opened[0]?.consumer.hasStarted);
    const request = new RequestEvents();
    const messages = [1, 2, 3, 4, 5].map((sequence) => ({ sequence, bytes: request.newMessage().bytes }));
    opened[0]?.consumer.deliver(messages);
    expect(follower.notReady()).toBeUndefined();

    // Five more events were published and have expired.
    state = { ...state, firstSeq: 11, lastSeq: 10 };
    opened[0]?.consumer.end('the connection broke');
    await eventually('the second consumer', () => opened[1]?.consumer.hasStarted);
    expect(opened[1]?.from).toBe(11);
    expect(follower.notReady()).toBeUndefined();
    expect(breaks).toEqual([{ hasGap: true }]);
  } finally {
    await follower.stop();
  }
});
