import { createServer } from 'node:net';
import { expect, test } from '@jest/globals';
import { watchOpenHandles } from './watch-open-handles.ts';

test('is content with what was closed, and with timers that keep nothing alive', async () => {
  const assertNothingLeftOpen = watchOpenHandles();
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.close();
  setTimeout(() => {}, 60_000).unref();
  await assertNothingLeftOpen();
});

test('names a listener and timers that were forgotten', async () => {
  const assertNothingLeftOpen = watchOpenHandles({ patience: 200 });
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // Several: some of those that were there before may have ended meanwhile.
  const timers = Array.from({ length: 20 }, () => setInterval(() => {}, 60_000));
  await expect(assertNothingLeftOpen()).rejects.toThrow(/1 TCPServerWrap/);
  server.close();
  await expect(assertNothingLeftOpen()).rejects.toThrow(/\d+ Timeout/);
  for (const timer of timers) clearInterval(timer);
  await assertNothingLeftOpen();
});
