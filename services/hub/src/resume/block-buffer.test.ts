import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { FlushQueue, StreamWriter } from '../sse/stream-writer.ts';
import { BlockBuffer } from './block-buffer.ts';

let server: Server;
const flushes = new FlushQueue();

beforeAll(async () => {
  server = createServer({ allowHalfOpen: true }).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => {
  server.close();
});

/** A writer, and everything that its reader gets until it ends. */
async function openWriter(): Promise<{ writer: StreamWriter; received: Promise<string> }> {
  const accepted = once(server, 'connection');
  const reader = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const [socket] = (await accepted) as [Socket];
  return {
    writer: new StreamWriter({ socket, isChunked: false, maxBufferedBytes: 1e9, flushes }),
    received: text(reader),
  };
}

test('each reader gets its own blocks complete and in order, even if the buffer is filled several times', async () => {
  const writers: Awaited<ReturnType<typeof openWriter>>[] = [];
  while (writers.length < 7) writers.push(await openWriter());
  const expected = writers.map(() => '');
  const buffer = new BlockBuffer();
  // Twice as much as is held at a time, some of it for only one writer.
  for (let n = 0; n < 40_000; n++) {
    const index = n % 5_000 < 500 ? 3 : n % writers.length;
    const block = `id: ${n}\ndata: ${'ü€😀x'.repeat(n % 80)}\n\n`;
    expected[index] += block;
    const { writer } = writers[index] as (typeof writers)[number];
    buffer.add(writer, block);
    if (n % 997 === 0) buffer.flush(writer);
  }
  buffer.flushAll();
  buffer.flushAll();
  for (const { writer } of writers) writer.end();
  for (const [index, { received }] of writers.entries())
    expect((await received) === expected[index]).toBe(true);
});

test('an empty block is not sent, and nothing is sent to a reader whose stream has ended', async () => {
  const [empty, ended] = [await openWriter(), await openWriter()];
  const buffer = new BlockBuffer();
  buffer.add(empty.writer, '');
  buffer.add(ended.writer, 'data: 1\n\n');
  ended.writer.end();
  buffer.flushAll();
  empty.writer.end();
  expect(await Promise.all([empty.received, ended.received])).toEqual(['', '']);
});
