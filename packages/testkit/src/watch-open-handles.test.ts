import { createServer } from 'node:net';
import { expect, test } from '@jest/globals';
import { watchOpenHandles } from './watch-open-handles.ts';

test('watchOpenHandles: closed servers and timers with unref() are not reported', async () => {
  const assertNothingLeftOpen = watchOpenHandles();
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.close();
  setTimeout(() => {}, 60_000).unref();
  await assertNothingLeftOpen();
});

test('watchOpenHandles: an open listener and running timers are reported by type', async () => {
  const assertNothingLeftOpen = watchOpenHandles({ patience: 200 });
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // More than one, since timers that were counted before may have ended.
  const timers = Array.from({ length: 20 }, () => setInterval(() => {}, 60_000));
  await expect(assertNothingLeftOpen()).rejects.toThrow(/1 TCPServerWrap/);
  server.close();
  await expect(assertNothingLeftOpen()).rejects.toThrow(/\d+ Timeout/);
  for (const timer of timers) clearInterval(timer);
  await assertNothingLeftOpen();
});
