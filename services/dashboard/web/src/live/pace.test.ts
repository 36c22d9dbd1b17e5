import type { ExpertEvent } from '@expert-relay/sdk/expert';
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { provideLocks } from '../testing/provide-locks.ts';
import { createCallBudget, takeCall } from './call-budget.ts';
import { createPace, createPacedEvents } from './pace.ts';

provideLocks();

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

const budgetOf = (burst: number) => createCallBudget({ burst, spacingMs: 4_000 });
const open = () => createPace({ budget: budgetOf(2), reserve: 0 });

test('the first calls run at once, further ones one by one', async () => {
  const pace = open();
  const ran: string[] = [];
  for (const name of ['a', 'b', 'c', 'd']) pace.run(name, () => ran.push(name));
  await jest.advanceTimersByTimeAsync(100);
  expect(ran).toEqual(['a', 'b']);
  await jest.advanceTimersByTimeAsync(4_000);
  expect(ran).toEqual(['a', 'b', 'c']);
  await jest.advanceTimersByTimeAsync(4_000);
  expect(ran).toEqual(['a', 'b', 'c', 'd']);
});

test('of waiting work with the same name, only the last runs', async () => {
  const pace = open();
  const ran: number[] = [];
  for (let at = 0; at < 5; at++) pace.run('list', () => ran.push(at));
  await jest.advanceTimersByTimeAsync(60_000);
  expect(ran).toEqual([4]);
});

test('work that is requested while it runs is run again', async () => {
  const pace = open();
  let runs = 0;
  let finish = () => {};
  const work = () => {
    runs += 1;
    return new Promise<void>((resolve) => {
      finish = resolve;
    });
  };
  pace.run('list', work);
  await jest.advanceTimersByTimeAsync(100);
  pace.run('list', work);
  await jest.advanceTimersByTimeAsync(60_000);
  expect(runs).toBe(1);
  finish();
  await jest.advanceTimersByTimeAsync(100);
  expect(runs).toBe(2);
});

test('after a failure, further work runs', async () => {
  const pace = open();
  let runs = 0;
  pace.run('list', () => Promise.reject(new Error('away')));
  await jest.advanceTimersByTimeAsync(100);
  pace.run('list', () => {
    runs += 1;
  });
  await jest.advanceTimersByTimeAsync(100);
  expect(runs).toBe(1);
});

test.each([1, 4, 20])(
  'of %d tabs with an event a second each, all together stay within one budget',
  async (count) => {
    const calls: number[] = [];
    const budget = budgetOf(2);
    const tabs = Array.from({ length: count }, () => createPace({ budget, reserve: 0 }));
    for (let second = 0; second < 300; second++) {
      for (const [at, tab] of tabs.entries()) tab.run(`${at}:list`, () => calls.push(Date.now()));
      await jest.advanceTimersByTimeAsync(1_000);
    }
    const most = Math.max(
      ...calls.map((from) => calls.filter((at) => at >= from && at < from + 60_000).length),
    );
    expect(most).toBeLessThanOrEqual(15 + 2);
    expect(calls.length).toBeGreaterThan(60);
  },
);

test('work that the expert looks at runs at once while other work waits for the reserve', async () => {
  const budget = budgetOf(6);
  const [shown, hidden] = [createPace({ budget, reserve: 4 }), createPace({ budget, reserve: 4 })];
  let isVisible = false;
  const ran: string[] = [];
  for (const name of ['a', 'b', 'c']) hidden.run(name, () => ran.push(name));
  await jest.advanceTimersByTimeAsync(100);
  expect(ran).toEqual(['a', 'b']);
  shown.run('conversation', () => ran.push('shown'), { isUrgent: () => isVisible });
  await jest.advanceTimersByTimeAsync(100);
  expect(ran).toEqual(['a', 'b']);
  isVisible = true;
  shown.wake();
  await jest.advanceTimersByTimeAsync(1);
  expect(ran).toEqual(['a', 'b', 'shown']);
});

test.each([
  ['at first', undefined, 0, { calls: 1, waitMs: 0 }],
  ['after a pause, no more than the burst', { calls: 0, at: -60_000 }, 0, { calls: 1, waitMs: 0 }],
  ['when none is left', { calls: 0.5, at: 0 }, 0, { calls: 0.5, waitMs: 2_000 }],
  ['when only the reserve is left', { calls: 1.5, at: 0 }, 1, { calls: 1.5, waitMs: 2_000 }],
  ['with a clock that was set back', { calls: 1, at: 60_000 }, 0, { calls: 0, waitMs: 0 }],
])('a call is taken %s', (_, before, reserve, { calls, waitMs }) => {
  expect(takeCall(before, { burst: 2, spacingMs: 4_000, reserve, now: 0 })).toEqual({
    left: { calls, at: 0 },
    waitMs,
  });
});

const event = (requestId: string): ExpertEvent => ({
  type: 'new_message',
  requestId,
  refCode: undefined,
  from: 'agent',
  messageId: undefined,
  reason: 'closed',
});

test('an event of an open request reaches its conversation, and events that wait become one', () => {
  const waiting = new Map<string, () => unknown>();
  const pace = { run: (name: string, work: () => unknown) => void waiting.set(name, work) };
  const events = createPacedEvents(pace, () => true);
  const close = events.open('r1');
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
  close();
  waiting.clear();
  events.emit(event('r1'));
  expect(waiting.size).toBe(0);
});
