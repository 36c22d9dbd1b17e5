import { setImmediate } from 'node:timers/promises';
import { test } from '@jest/globals';

test.concurrent('a test ends', async () => {});

// See jest.runtime.cjs.
test.concurrent('another one goes on and loads code on demand', async () => {
  for (let turn = 0; turn < 100; turn += 1) {
    await setImmediate();
    await import('./test-unless.ts');
  }
});
