import { createLog } from '@expert-relay/kit/log';
import { createNats } from '@expert-relay/kit/nats';
import { createTcpProxy, testServers } from '@expert-relay/testkit';
import { expect, test } from '@jest/globals';
import { RequestEvents } from '../testing/make-event.ts';
import { Reader } from '../testing/reader.ts';
import { startTestHub } from '../testing/test-hub.ts';
import { openTestStream, type TestStream } from '../testing/test-stream.ts';
import { createNatsStream } from './nats-stream.ts';

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
  for (const reader of readers) await reader.until('a response', () => reader.head !== '');
  await proxy.restore();
  for (const reader of readers) await reader.until('a reset', () => reader.named('hub.reset').length > 0);
  await stream.connection.flush();
  expect(calls).toBeGreaterThan(0);
  expect(calls).toBeLessThan(20);
  for (const reader of readers) reader.close();
});

async function openNatsStream(stream: TestStream, url = testServers().natsUrl) {
  const nats = createNats({ url, name: 'test', log: createLog('test', { level: 'silent' }) });
  const natsStream = createNatsStream({ nats, prefix: stream.prefix });
  await nats.start?.();
  await new Promise((resolve) => nats.onConnection(resolve));
  return { ...natsStream, [Symbol.asyncDispose]: async () => nats.stop?.() };
}

test('a consumer reads only the stream of the epoch that it was opened for', async () => {
  await using stream = await openTestStream();
  await using natsStream = await openNatsStream(stream);
  const { epoch } = await natsStream.readState();
  const consumer = await natsStream.openConsumer({ sequence: 1, epoch });
  consumer.end('opened');

  await stream.manager.streams.delete(stream.name);
  await stream.make();
  await expect(natsStream.openConsumer({ sequence: 1, epoch })).rejects.toThrow(
    'the stream was created again',
  );
});

test('a consumer ends when the connection to NATS was opened again', async () => {
  await using stream = await openTestStream();
  await using proxy = await createTcpProxy(testServers().natsUrl);
  await using natsStream = await openNatsStream(stream, proxy.url);
  const { epoch } = await natsStream.readState();
  const consumer = await natsStream.openConsumer({ sequence: 1, epoch });
  await proxy.cut();
  await proxy.restore();
  expect(await consumer.ended).toBe('the connection to NATS was opened again');
});
