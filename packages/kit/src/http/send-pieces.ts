import type { ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { jsonType, sendText } from './send-text.ts';

/** JSON text in pieces. The last one is returned, not yielded: so the first one is known to be all there is. */
export type Pieces = AsyncGenerator<string, string, void>;

/**
 * JSON in pieces, each made only when the client has taken the one before. A single piece is sent as a
 * whole: streaming it would cost three writes and as much time again. `beforeLong` is called before the
 * first byte of a long answer, and may throw.
 */
export async function sendPieces(
  response: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string>>,
  pieces: Pieces,
  beforeLong: () => void = () => {},
): Promise<void> {
  try {
    let piece = await pieces.next();
    if (piece.done) {
      sendText(response, status, headers, piece.value, beforeLong);
      return;
    }
    beforeLong();
    response.writeHead(status, { ...headers, 'content-type': jsonType });
    if (response.req.method === 'HEAD') {
      response.end();
      return;
    }
    // Not through `Readable.from`, which reads a piece ahead.
    await pipeline(async function* () {
      for (; !piece.done; piece = await pieces.next()) yield piece.value;
      yield piece.value;
    }, response);
  } finally {
    await pieces.return('');
  }
}
