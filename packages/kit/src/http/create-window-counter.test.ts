import { expect, test } from '@jest/globals';
import { createWindowCounter } from './create-window-counter.ts';

function createFakeClock() {
  let now = 1_000_000;
  return {
    now: () => now,
    advance(milliseconds: number) {
      now += milliseconds;
    },
  };
}

test('counts down within a minute that begins with the first call, and starts again after it', () => {
  const clock = createFakeClock();
  const count = createWindowCounter({ limit: 2, clock });
  expect(count('a')).toEqual({ left: 1, endsInMs: 60_000 });
  clock.advance(59_999);
  expect(count('a')).toEqual({ left: 0, endsInMs: 1 });
  expect(count('a')).toEqual({ left: -1, endsInMs: 1 });
  expect(count('b')).toEqual({ left: 1, endsInMs: 60_000 });
  clock.advance(1);
  expect(count('a')).toEqual({ left: 1, endsInMs: 60_000 });
});

test('reads a window without counting', () => {
  const clock = createFakeClock();
  const count = createWindowCounter({ limit: 1, clock });
  expect(count('a', 0)).toEqual({ left: 1, endsInMs: 60_000 });
  count('a');
  clock.advance(1_000);
  expect(count('a', 0)).toEqual({ left: 0, endsInMs: 59_000 });
  expect(count('a', 0)).toEqual({ left: 0, endsInMs: 59_000 });
});

test('a window ends when the clock is set back to before its start', () => {
  const clock = createFakeClock();
  const count = createWindowCounter({ limit: 1, clock });
  count('a');
  clock.advance(-3_600_000);
  expect(count('a')).toEqual({ left: 0, endsInMs: 60_000 });
});

test('in a flood of clients the oldest windows are dropped', () => {
  const clock = createFakeClock();
  const count = createWindowCounter({ limit: 10, clock, maxClients: 3 });
  for (const client of ['a', 'b', 'c']) count(client);
  expect(count('a').left).toBe(8);
  count('d');
  expect(count('c').left).toBe(8);
  // The window of `a` was the oldest, so it was dropped for `d`.
  expect(count('a').left).toBe(9);
});

test('a flood of different clients is counted in linear time, and only as many as are allowed are kept', () => {
  const clock = createFakeClock();
  const count = createWindowCounter({ limit: 10, clock, maxClients: 1_000 });
  const { user: before } = process.cpuUsage();
  for (let i = 0; i < 300_000; i++) count(`client ${i}`);
  // In microseconds, for which a stalled machine does not matter.
  expect(process.cpuUsage().user - before).toBeLessThan(5_000_000);
  const kept = Array.from({ length: 300_000 }, (_, i) => i).filter((i) => count(`client ${i}`, 0).left < 10);
  expect(kept).toEqual(Array.from({ length: 1_000 }, (_, i) => 299_000 + i));
});
