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

test('names a listener and a timer that were forgotten', async () => {
  const assertNothingLeftOpen = watchOpenHandles();
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const timer = setInterval(() => {}, 60_000);
  await expect(assertNothingLeftOpen()).rejects.toThrow(/1 TCPServerWrap/);
  server.close();
  await expect(assertNothingLeftOpen()).rejects.toThrow(/1 Timeout/);
  clearInterval(timer);
  await assertNothingLeftOpen();
});
