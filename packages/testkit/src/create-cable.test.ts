import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Cable, createCable } from './create-cable.ts';
import { eventually } from './eventually.ts';
import { watchOpenHandles } from './watch-open-handles.ts';

let assertNothingLeftOpen: () => Promise<void>;
let server: Server;
let cable: Cable;

beforeAll(async () => {
  assertNothingLeftOpen = watchOpenHandles();
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
  await cable.restore();
  expect(await ask()).toBe('here');
});

test('holds what is under way, tells nobody, and lets it go on when it is mended', async () => {
  const socket = connect(Number(new URL(cable.url).port), '127.0.0.1').setEncoding('utf8');
  await once(socket, 'connect');
  cable.hold();
  socket.write('GET / HTTP/1.1\r\nhost: relay\r\n\r\n');
  const late = ask();
  const answers: string[] = [];
  socket.on('data', (text: string) => answers.push(text));
  await pause(200);
  expect([answers, socket.destroyed]).toEqual([[], false]);

  await cable.restore();
  await eventually('the answer', () => answers.join('').endsWith('here'));
  expect(await late).toBe('here');
  socket.destroy();
});

test('passes the end of one side on, and then the answer of the other', async () => {
  const socket = connect(Number(new URL(cable.url).port), '127.0.0.1').setEncoding('utf8');
  let answer = '';
  socket.on('data', (text: string) => {
    answer += text;
  });
  socket.end('nonsense\r\n\r\n');
  await once(socket, 'close');
  expect(answer).toMatch(/^HTTP\/1.1 400 /);
});

test('leads to several servers in turn, past one that refuses', async () => {
  const gone = await createCable(cable.url);
  await gone.cut();
  const forked = await createCable([gone.url, cable.url]);
  const answers = [];
  for (let call = 0; call < 4; call++) {
    const headers = { connection: 'close' };
    answers.push(await (await fetch(forked.url, { headers })).text());
  }
  expect(answers).toEqual(['here', 'here', 'here', 'here']);
  await forked.stop();
});
