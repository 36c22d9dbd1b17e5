import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Outlet } from '../stream/outlet.ts';
import { WriteBatch } from '../stream/write-batch.ts';
import { Gathering } from './gathering.ts';

let server: Server;
const batch = new WriteBatch();

beforeAll(async () => {
  server = createServer({ allowHalfOpen: true }).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => {
  server.close();
});

/** An outlet, and all that comes out of it until it ends. */
async function openOutlet(): Promise<{ outlet: Outlet; said: Promise<string> }> {
  const accepted = once(server, 'connection');
  const reader = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const [socket] = (await accepted) as [Socket];
  return {
    outlet: new Outlet({ socket, isChunked: false, maxWaiting: 1e9, batch }),
    said: text(reader),
  };
}

test('each outlet gets its own blocks whole and in order, however many there are', async () => {
  const outlets: Awaited<ReturnType<typeof openOutlet>>[] = [];
  while (outlets.length < 7) outlets.push(await openOutlet());
  const expected = outlets.map(() => '');
  const gathering = new Gathering();
  // Twice as much as is held at a time, some of it for one outlet alone.
  for (let n = 0; n < 40_000; n++) {
    const index = n % 5_000 < 500 ? 3 : n % outlets.length;
    const block = `id: ${n}\ndata: ${'ü€😀x'.repeat(n % 80)}\n\n`;
    expected[index] += block;
    const { outlet } = outlets[index] as (typeof outlets)[number];
    gathering.add(outlet, block);
    if (n % 997 === 0) gathering.flush(outlet);
  }
  gathering.flushAll();
  gathering.flushAll();
  for (const { outlet } of outlets) outlet.end();
  for (const [index, { said }] of outlets.entries()) expect((await said) === expected[index]).toBe(true);
});

test('nothing is not sent, and who has left gets nothing', async () => {
  const [empty, gone] = [await openOutlet(), await openOutlet()];
  const gathering = new Gathering();
  gathering.add(empty.outlet, '');
  gathering.add(gone.outlet, 'data: 1\n\n');
  gone.outlet.end();
  gathering.flushAll();
  empty.outlet.end();
  expect(await Promise.all([empty.said, gone.said])).toEqual(['', '']);
});
