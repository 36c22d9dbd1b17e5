import type { ExpertEvent } from '@expert-relay/sdk/expert';
import { expect, test } from '@jest/globals';
import { createPacedCalls } from './paced-calls.ts';

const event = (requestId: string): ExpertEvent => ({
  type: 'new_message',
  requestId,
  refCode: undefined,
  question: undefined,
  role: 'consumer',
  messageId: undefined,
  reason: 'closed',
});

test('an event reaches each of several open conversations, and repetitions wait in one place', () => {
  const waiting = new Map<string, () => unknown>();
  const paced = createPacedCalls({ run: (name, work) => void waiting.set(name, work) });
  paced.emit(event('nobody listens'));
  const [one, other]: ExpertEvent[][] = [[], []];
  paced.listen((given) => one?.push(given));
  const stop = paced.listen((given) => other?.push(given));
  paced.emit(event('r1'));
  paced.emit(event('r1'));
  paced.emit(event('r2'));
  // Each place costs a call's worth of waiting, also for requests that are not open.
  expect([...waiting.keys()]).toEqual(['conversations']);
  stop();
  paced.listen((given) => other?.push(given));
  for (const work of waiting.values()) work();
  expect(one).toEqual([event('r1'), event('r2')]);
  expect(other).toEqual([event('r1'), event('r2')]);
});
