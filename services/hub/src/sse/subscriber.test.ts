import type { Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { expect, test } from '@jest/globals';
import { FlushQueue, StreamWriter } from './stream-writer.ts';
import { Subscriber, type SubscriberState } from './subscriber.ts';

function subscriberIn(...states: SubscriberState[]): Subscriber {
  const writer = new StreamWriter({
    socket: new PassThrough() as unknown as Socket,
    isChunked: true,
    maxBufferedBytes: 1,
    flushes: new FlushQueue(),
  });
  const [topics, credential, network, callId] = [[], undefined, '', ''];
  const subscriber = new Subscriber({ writer, topics, credential, network, callId, openedAt: 0, endsAt: 0 });
  for (const state of states) subscriber.enter(state);
  return subscriber;
}

test.each<[SubscriberState[]]>([
  [['live', 'ending', 'closed']],
  [['ahead', 'replaying', 'scanning', 'replaying', 'live', 'closed']],
  [['scanning', 'scanning', 'ahead', 'ending', 'closed']],
  [['closed']],
])('a stream can be %j', (states) => {
  expect(subscriberIn(...states).state).toBe(states.at(-1));
});

test.each<[SubscriberState[], SubscriberState]>([
  [['live'], 'live'],
  [['live'], 'replaying'],
  [['live'], 'pending'],
  [['scanning'], 'pending'],
  [['ending'], 'live'],
  [['ending'], 'ending'],
  [['closed'], 'scanning'],
  [['closed'], 'closed'],
])('after %j it cannot be %j', (states, next) => {
  const subscriber = subscriberIn(...states);
  expect(() => subscriber.enter(next)).toThrow(`from ${states.at(-1)} to ${next}`);
  expect(subscriber.state).toBe(states.at(-1));
});
