import { createTcpProxy, testServers } from '@expert-relay/testkit';
import { expect, test } from '@jest/globals';
import { RequestEvents } from '../testing/make-event.ts';
import { Reader } from '../testing/reader.ts';
import { startTestHub } from '../testing/test-hub.ts';
import { openTestStream } from '../testing/test-stream.ts';

test('a hundred readers with positions that the hub does not know share a few calls to NATS', async () => {
  await using stream = await openTestStream();
  await using proxy = await createTcpProxy(testServers().natsUrl);
  await using hub = await startTestHub({ prefix: stream.prefix, env: { NATS_URL: proxy.url } });
  let calls = 0;
  stream.connection.subscribe(`$JS.API.STREAM.INFO.${stream.name}`, { callback: () => calls++ });
  await stream.connection.flush();

  proxy.hold();
  const headers = { 'last-event-id': 'oldstream.17.0123abcd' };
  const { topic } = new RequestEvents();
  const readers = Array.from({ length: 100 }, () => new Reader(hub.url, [topic], { headers }));
  for (const reader of readers) await reader.until('an answer', () => reader.head !== '');
  await proxy.restore();
  for (const reader of readers) await reader.until('a reset', () => reader.named('hub.reset').length > 0);
  await stream.connection.flush();
  expect(calls).toBeGreaterThan(0);
  expect(calls).toBeLessThan(20);
  for (const reader of readers) reader.close();
});
