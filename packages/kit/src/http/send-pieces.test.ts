import { createServer, type RequestListener } from 'node:http';
import { afterEach, describe, expect, test } from '@jest/globals';
import { listen } from './listen.ts';
import { sendPieces } from './send-pieces.ts';

describe('sendPieces', () => {
  let close = () => {};
  afterEach(() => close());

  async function serve(handler: RequestListener): Promise<string> {
    const server = createServer(handler);
    close = () => void server.close().closeAllConnections();
    return await listen(server, '127.0.0.1', 0);
  }

  async function* count(pieces: number) {
    for (let piece = 1; piece <= pieces; piece++) yield `"${piece}"`;
  }

  test.each([
    [0, '', '0'],
    [1, '"1"', '3'],
    [2, '"1""2"', null],
    [5, '"1""2""3""4""5"', null],
  ])('%i pieces arrive in order, a single one with its length', async (pieces, text, length) => {
    const url = await serve((_, response) => void sendPieces(response, 200, { 'x-a': 'b' }, count(pieces)));
    const answer = await fetch(url);
    expect(await answer.text()).toBe(text);
    expect(answer.headers.get('content-length')).toBe(length);
    expect(answer.headers.get('x-a')).toBe('b');
  });

  test('what fails before the answer began leaves room for another answer', async () => {
    async function* failing() {
      yield 'one';
      throw new Error('the database is gone');
    }
    const url = await serve((_, response) => {
      sendPieces(response, 200, {}, failing()).catch(() => response.writeHead(500).end());
    });
    expect((await fetch(url)).status).toBe(500);
  });

  test('a client that leaves ends the pieces', async () => {
    let ended = () => {};
    const end = new Promise<void>((resolve) => {
      ended = resolve;
    });
    async function* endless() {
      try {
        for (;;) yield 'x'.repeat(65_536);
      } finally {
        ended();
      }
    }
    const url = await serve(
      (_, response) => void sendPieces(response, 200, {}, endless()).catch(() => undefined),
    );
    const leaving = new AbortController();
    await fetch(url, { signal: leaving.signal });
    leaving.abort();
    await end;
  });
});
