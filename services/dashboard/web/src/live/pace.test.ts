import type { ExpertEvent } from '@expert-relay/sdk/expert';
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { createPace, createPacedEvents } from './pace.ts';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

const open = (tabs = 1) =>
  createPace({ burst: 2, spacingMs: 4_000, countTabs: async () => tabs, now: () => Date.now() });

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

test('three tabs with an event a second together make at most 15 calls a minute after their bursts', async () => {
  const calls: number[] = [];
  const tabs = [open(3), open(3), open(3)];
  for (let second = 0; second < 300; second++) {
    for (const [at, tab] of tabs.entries()) tab.run(`${at}:list`, () => calls.push(Date.now()));
    await jest.advanceTimersByTimeAsync(1_000);
  }
  const most = Math.max(
    ...calls.map((from) => calls.filter((at) => at >= from && at < from + 60_000).length),
  );
  expect(most).toBeLessThanOrEqual(15 + 3 * 2);
  // Every tab makes progress.
  expect(calls.length).toBeGreaterThan(60);
});

test('an event reaches all open conversations, and waiting events about one request become one', () => {
  const event = (requestId: string): ExpertEvent => ({
    type: 'new_message',
    requestId,
    refCode: undefined,
    role: 'consumer',
    messageId: undefined,
    reason: 'closed',
  });
  const waiting = new Map<string, () => unknown>();
  const events = createPacedEvents({ run: (name, work) => void waiting.set(name, work) });
  events.emit(event('without a listener'));
  const [first, second]: [ExpertEvent[], ExpertEvent[]] = [[], []];
  events.listen((received) => first.push(received));
  const stop = events.listen((received) => second.push(received));
  events.emit(event('r1'));
  events.emit(event('r1'));
  events.emit(event('r2'));
  // One name, since each name waits as long as one call, even for requests that are not open.
  expect([...waiting.keys()]).toEqual(['conversations']);
  stop();
  events.listen((received) => second.push(received));
  for (const work of waiting.values()) work();
  expect(first).toEqual([event('r1'), event('r2')]);
  expect(second).toEqual([event('r1'), event('r2')]);
});
