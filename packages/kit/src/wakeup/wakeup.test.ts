import { expect, test } from '@jest/globals';
import { createWakeup } from './index.ts';

const longMs = 250_000;

test('a wakeup that comes while the loop works ends its next wait at once, and only that one', async () => {
  const wakeup = createWakeup();
  const { signal } = new AbortController();
  wakeup.wake();
  wakeup.wake();
  await wakeup.wait(longMs, signal);
  let hasWaited = false;
  const next = wakeup.wait(longMs, signal).then(() => {
    hasWaited = true;
  });
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(hasWaited).toBe(false);
  wakeup.wake();
  await next;
});

test('a wait ends after its time, when its signal is aborted, and at once when it was', async () => {
  const wakeup = createWakeup();
  const stopping = new AbortController();
  const before = performance.now();
  await wakeup.wait(20, stopping.signal);
  // A timer may be early by a part of a millisecond.
  expect(performance.now() - before).toBeGreaterThan(18);
  const waiting = wakeup.wait(longMs, stopping.signal);
  stopping.abort();
  await waiting;
  await wakeup.wait(longMs, stopping.signal);
});
