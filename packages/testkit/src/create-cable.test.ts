import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Cable, createCable } from './create-cable.ts';
import { watchOpenHandles } from './watch-open-handles.ts';

const assertNothingLeftOpen = watchOpenHandles();
let server: Server;
let cable: Cable;

beforeAll(async () => {
  server = createServer((_, response) => response.end('here'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cable = await createCable(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});

afterAll(async () => {
  await cable.stop();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await assertNothingLeftOpen();
});

const ask = async () => (await fetch(cable.url)).text();

test('leads to the server, not when it is cut, and again when it is mended', async () => {
  expect(await ask()).toBe('here');
  await cable.cut();
  await expect(ask()).rejects.toThrow('fetch failed');
  await cable.mend();
  expect(await ask()).toBe('here');
});
