import { expect, test } from '@jest/globals';
import { makeSubscriber } from '../testing/make-subscriber.ts';
import type { Subscriber, SubscriberState } from './subscriber.ts';

function subscriberIn(...states: SubscriberState[]): Subscriber {
  const subscriber = makeSubscriber();
  for (const state of states) subscriber.enter(state);
  return subscriber;
}

test.each<[SubscriberState[]]>([
  [['live', 'ending', 'closed']],
  [['ahead', 'replaying', 'scanning', 'replaying', 'live', 'closed']],
  [['scanning', 'scanning', 'ahead', 'ending', 'closed']],
  [['live', 'missing', 'live', 'missing', 'ending', 'closed']],
  [['closed']],
])('a stream can have the states %j, in this order', (states) => {
  expect(subscriberIn(...states).state).toBe(states.at(-1));
});

test.each<[SubscriberState[], SubscriberState]>([
  [['live'], 'live'],
  [['live'], 'replaying'],
  [['live'], 'pending'],
  [['scanning'], 'pending'],
  [['scanning'], 'missing'],
  [['live', 'missing'], 'replaying'],
  [['ending'], 'live'],
  [['ending'], 'ending'],
  [['closed'], 'scanning'],
  [['closed'], 'closed'],
])('after %j it cannot enter %j', (states, next) => {
  const subscriber = subscriberIn(...states);
  expect(() => subscriber.enter(next)).toThrow(`from ${states.at(-1)} to ${next}`);
  expect(subscriber.state).toBe(states.at(-1));
});
