import { createTcpProxy, testServers } from '@expert-relay/testkit';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { createLog } from '../log/index.ts';
import { createNats, type Nats } from './create-nats.ts';
import { createStoredStream } from './stored-stream.ts';
import { openTestStream, type TestStream } from './testing/test-stream.ts';

const log = createLog('test', { level: 'silent' });
let stream: TestStream;
let parts: Nats[];

beforeEach(async () => {
  stream = await openTestStream(testServers().natsUrl);
  parts = [];
});
afterEach(async () => {
  for (const nats of parts) await nats.stop?.();
  await stream[Symbol.asyncDispose]();
});

async function openStoredStream(url = testServers().natsUrl) {
  const nats = createNats({ url, name: 'test', log });
  parts.push(nats);
  const stored = createStoredStream({ nats, stream: stream.name, owner: 'test' });
  await nats.start?.();
  await new Promise((resolve) => nats.onConnection(resolve));
  return stored;
}

const from = { seq: 1 };

test('a consumer reads only the stream of the epoch that it was opened for', async () => {
  const stored = await openStoredStream();
  const { epoch } = await stored.readState();
  const consumer = await stored.openConsumer({ from, epoch });
  consumer.end('opened');

  await stream.manager.streams.delete(stream.name);
  await stream.make();
  await expect(stored.openConsumer({ from, epoch })).rejects.toThrow('the stream was created again');
  (await stored.openConsumer({ from })).end('opened');
});

test('a consumer ends when the connection to NATS was opened again', async () => {
  await using proxy = await createTcpProxy(testServers().natsUrl);
  const stored = await openStoredStream(proxy.url);
  const consumer = await stored.openConsumer({ from });
  await proxy.cut();
  await proxy.restore();
  expect(await consumer.ended).toBe('the connection to NATS was opened again');
});
