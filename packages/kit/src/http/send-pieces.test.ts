import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, test } from '@jest/globals';
import { listen } from './create-http-server.ts';
import { type Pieces, sendPieces } from './send-response.ts';

describe('sendPieces', () => {
  let close = () => {};
  afterEach(() => close());

  async function serve(handler: RequestListener): Promise<string> {
    const server = createServer(handler);
    close = () => void server.close().closeAllConnections();
    return await listen(server, '127.0.0.1', 0);
  }

  async function* count(pieces: number): Pieces {
    for (let piece = 1; piece < pieces; piece++) yield `"${piece}"`;
    return pieces ? `"${pieces}"` : '';
  }

  /** An endless sequence of pieces of 64 KiB, and how much of it was made. */
  function endless() {
    const read = { bytes: 0, isOver: false };
    async function* pieces(): Pieces {
      try {
        for (;;) {
          read.bytes += 65_536;
          yield 'x'.repeat(65_536);
        }
      } finally {
        read.isOver = true;
      }
    }
    return { read, pieces: pieces() };
  }

  test.each([
    [0, '', '0'],
    [1, '"1"', '3'],
    [2, '"1""2"', null],
    [5, '"1""2""3""4""5"', null],
  ])('%i pieces arrive in order, a single one with its length', async (pieces, text, length) => {
    const url = await serve((_, response) => void sendPieces(response, 200, { 'x-a': 'b' }, count(pieces)));
    const response = await fetch(url);
    expect(await response.text()).toBe(text);
    expect(response.headers.get('content-length')).toBe(length);
    expect(response.headers.get('x-a')).toBe('b');
  });

  test('another response can be sent after a failure before the first byte', async () => {
    // biome-ignore lint/correctness/useYield: it fails before that.
    async function* failing(): Pieces {
      throw new Error('the database is away');
    }
    const url = await serve((_, response) => {
      sendPieces(response, 200, {}, failing()).catch(() => response.writeHead(500).end());
    });
    expect((await fetch(url)).status).toBe(500);
  });

  test('no piece is made before the client has received the one before', async () => {
    const { read, pieces } = endless();
    let socket: Socket | undefined;
    const url = await serve((request, response) => {
      socket = request.socket;
      void sendPieces(response, 200, {}, pieces).catch(() => undefined);
    });
    const call = get(url);
    const [response] = (await once(call, 'response')) as [IncomingMessage];
    // Wait until the buffers of the kernel are full at both ends, since the client does not read.
    for (let before = -1; read.bytes !== before || !socket?.writableLength; await pause(200))
      before = read.bytes;
    const sent = socket.bytesWritten - socket.writableLength;
    expect(read.bytes - sent).toBeLessThanOrEqual(65_536);
    response.destroy();
  });

  test('HEAD makes only the first piece', async () => {
    const { read, pieces } = endless();
    const url = await serve((_, response) => void sendPieces(response, 200, {}, pieces));
    expect((await fetch(url, { method: 'HEAD' })).status).toBe(200);
    expect(read).toEqual({ bytes: 65_536, isOver: true });
  });

  test.each(['while it reads', 'before the first byte'])(
    'a client that leaves %s ends the pieces',
    async (when) => {
      const { read, pieces } = endless();
      const url = await serve(async (request, response) => {
        if (when === 'before the first byte') {
          request.socket.destroy();
          await once(response, 'close');
        }
        await sendPieces(response, 200, {}, pieces).catch(() => undefined);
      });
      const leaving = new AbortController();
      await fetch(url, { signal: leaving.signal }).catch(() => undefined);
      leaving.abort();
      while (!read.isOver) await pause(5);
    },
  );
});
