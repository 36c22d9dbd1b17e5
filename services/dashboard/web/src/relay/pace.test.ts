import type { ExpertEvent } from '@expert-relay/sdk/expert';
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { createPace, createPacedEvents } from './pace.ts';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

const always = () => true;
const wait = (ms: number) => jest.advanceTimersByTimeAsync(ms);

test('the first run is at once, and the next ones after a gap, once for all that was wanted', async () => {
  let gap = 1_000;
  const pace = createPace(() => gap);
  const ran: number[] = [];
  for (let at = 0; at < 5; at++) pace.run('list', () => ran.push(at), always);
  expect(ran).toEqual([0]);
  await wait(999);
  expect(ran).toEqual([0]);
  await wait(1);
  expect(ran).toEqual([0, 4]);
  gap = 10_000;
  pace.run('list', () => ran.push(5), always);
  pace.run('other', () => ran.push(6), always);
  expect(ran).toEqual([0, 4, 6]);
  await wait(10_000);
  expect(ran).toEqual([0, 4, 6, 5]);
});

test('work that is wanted while it runs is run again', async () => {
  const pace = createPace(() => 100);
  let runs = 0;
  let finish = () => {};
  const work = () => {
    runs += 1;
    return new Promise<void>((resolve) => {
      finish = resolve;
    });
  };
  pace.run('list', work, always);
  pace.run('list', work, always);
  await wait(60_000);
  expect(runs).toBe(1);
  finish();
  await wait(0);
  expect(runs).toBe(2);
});

test('after a failure, further work runs', async () => {
  const pace = createPace(() => 100);
  let runs = 0;
  pace.run('list', () => Promise.reject(new Error('away')), always);
  pace.run(
    'list',
    () => {
      runs += 1;
    },
    always,
  );
  await wait(100);
  expect(runs).toBe(1);
});

test('what is not needed waits until it is', () => {
  const pace = createPace(() => 100);
  let isVisible = false;
  const ran: string[] = [];
  pace.run(
    'list',
    () => ran.push('list'),
    () => isVisible,
  );
  expect(ran).toEqual([]);
  isVisible = true;
  pace.wake();
  expect(ran).toEqual(['list']);
});

const event = (requestId: string): ExpertEvent => ({
  type: 'new_message',
  requestId,
  refCode: undefined,
  from: 'agent',
  messageId: undefined,
  reason: 'closed',
});

test('an event of a request on the screen reaches its conversation, and events that wait become one', () => {
  const waiting = new Map<string, () => unknown>();
  const pace = { run: (name: string, work: () => unknown) => void waiting.set(name, work) };
  const events = createPacedEvents(pace, always);
  const end = events.watch('r1');
  events.emit(event('r1'));
  expect(waiting.size).toBe(0);
  const received: ExpertEvent[] = [];
  events.listen((one) => received.push(one));
  events.emit(event('other'));
  expect(waiting.size).toBe(0);
  events.emit(event('r1'));
  events.emit(event('r1'));
  for (const work of waiting.values()) work();
  expect(received).toEqual([event('r1')]);
  end();
  waiting.clear();
  events.emit(event('r1'));
  expect(waiting.size).toBe(0);
});
