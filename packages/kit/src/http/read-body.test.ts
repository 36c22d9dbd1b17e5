import { Agent, createServer, type IncomingMessage, request } from 'node:http';
import { afterEach, describe, expect, test } from '@jest/globals';
import { listen } from './create-http-server.ts';
import { readBody } from './read-body.ts';

describe('readBody', () => {
  let close = () => {};
  afterEach(() => close());

  /** A server that reads each body up to 8 bytes, and responds with the body or the error. */
  async function serve(prepare: (incoming: IncomingMessage) => Promise<void> = async () => {}) {
    const outcomes: Promise<string>[] = [];
    let onCall = () => {};
    const server = createServer((incoming, response) => {
      const outcome = prepare(incoming)
        .then(() => readBody(incoming, 8))
        .then(String, (error: Error) => error.message);
      outcomes.push(outcome);
      void outcome.then((text) => response.end(text));
      onCall();
    });
    close = () => void server.close().closeAllConnections();
    const url = await listen(server, '127.0.0.1', 0);
    const called = new Promise<void>((resolve) => {
      onCall = resolve;
    });
    return { url, called, outcome: async () => await outcomes[0] };
  }

  async function post(url: string, pieces: readonly string[]) {
    const body = new ReadableStream({
      async start(controller) {
        for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece));
        controller.close();
      },
    });
    return await (await fetch(url, { method: 'POST', body, duplex: 'half' } as RequestInit)).text();
  }

  test.each([
    ['nothing', [], ''],
    ['one piece', ['12345678'], '12345678'],
    ['several pieces', ['123', '45', '678'], '12345678'],
    ['a byte too many in one piece', ['123456789'], 'The body of this call may hold at most 8 bytes.'],
    ['a byte too many in all', ['12345', '6789'], 'The body of this call may hold at most 8 bytes.'],
  ])('%s', async (_, pieces, text) => {
    const { url } = await serve();
    expect(await post(url, pieces)).toBe(text);
  });

  test('the connection of a body that is too large carries the next call', async () => {
    const { url } = await serve();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const call = (body: string | Buffer) =>
      new Promise<boolean>((resolve, reject) => {
        const outgoing = request(url, { method: 'POST', agent }, (response) => {
          response.resume().once('end', () => resolve(outgoing.reusedSocket));
        });
        outgoing.on('error', reject).end(body);
      });
    await call(Buffer.alloc(1_048_576));
    expect(await call('1234')).toBe(true);
    agent.destroy();
  });

  test('a client that leaves in the middle', async () => {
    const { url, called, outcome } = await serve();
    const outgoing = request(url, { method: 'POST' }).on('error', () => {});
    outgoing.write('123');
    await called;
    outgoing.destroy();
    expect(await outcome()).toBe('the client left before the response');
  });

  test('a client that left before the body was read', async () => {
    const { url, called, outcome } = await serve(
      (incoming) => new Promise((resolve) => incoming.once('close', resolve)),
    );
    const outgoing = request(url, { method: 'POST' }).on('error', () => {});
    outgoing.write('123');
    await called;
    outgoing.destroy();
    expect(await outcome()).toBe('the client left before the response');
  });
});
