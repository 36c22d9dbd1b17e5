import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { jsonType, sendText } from './send-text.ts';

/**
 * JSON in pieces, as fast as the client takes them. What turns out to be one piece alone is sent as a
 * whole: streaming it would cost three writes and as much time again.
 */
export async function sendPieces(
  response: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string>>,
  pieces: AsyncIterable<string>,
): Promise<void> {
  const iterator = pieces[Symbol.asyncIterator]();
  const first = await iterator.next();
  const second = first.done ? first : await iterator.next();
  if (second.done) {
    sendText(response, status, headers, first.done ? '' : first.value);
    return;
  }
  response.writeHead(status, { ...headers, 'content-type': jsonType });
  await pipeline(Readable.from(withRest([first.value, second.value], iterator)), response);
}

async function* withRest(taken: readonly string[], rest: AsyncIterator<string>): AsyncGenerator<string> {
  yield* taken;
  yield* { [Symbol.asyncIterator]: () => rest };
}
