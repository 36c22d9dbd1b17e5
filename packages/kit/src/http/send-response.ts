import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** The response of a route. It has at most one of `body`, `stream` and `forwarded`. */
export interface RouteResponse {
  readonly status: number;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** JSON text in pieces, for responses that may be long. */
  readonly stream?: Pieces;
  /** The response of another service, whose bytes are sent unchanged. */
  readonly forwarded?: Readable;
  readonly headers?: Readonly<Record<string, string>>;
}

/** JSON text in pieces. The last piece is returned and not yielded, so that a text of one piece is recognised. */
export type Pieces = AsyncGenerator<string, string, void>;

type Headers = Readonly<Record<string, string>>;

const jsonType = 'application/json; charset=utf-8';

/** A response of more bytes is a long one. It may stay in memory until a slow client has read it. */
export const longResponseBytes = 65_536;

/** `beforeLong` is called before the first byte of a long response, and may throw. */
export async function sendResponse(
  response: ServerResponse,
  result: RouteResponse,
  beforeLong: () => void = () => {},
): Promise<void> {
  const { status, stream, body, forwarded } = result;
  const headers = { 'cache-control': 'no-store', ...result.headers };
  if (forwarded) await sendForwarded(response, status, headers, forwarded);
  else if (stream) await sendPieces(response, status, headers, stream, beforeLong);
  else if (body === undefined) response.writeHead(status, headers).end();
  else sendText(response, status, headers, JSON.stringify(body), beforeLong);
}

/** Sends head and body in one write. */
function sendText(
  response: ServerResponse,
  status: number,
  headers: Headers,
  text: string,
  beforeLong: () => void,
): void {
  const length = Buffer.byteLength(text);
  if (length > longResponseBytes) beforeLong();
  response.writeHead(status, { ...headers, 'content-type': jsonType, 'content-length': length });
  response.end(text);
}

/**
 * Makes each piece only when the client has received the one before. A single piece is sent at once, since streaming it
 * would need three writes and twice the time.
 */
export async function sendPieces(
  response: ServerResponse,
  status: number,
  headers: Headers,
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

async function sendForwarded(
  response: ServerResponse,
  status: number,
  headers: Headers,
  forwarded: Readable,
): Promise<void> {
  response.writeHead(status, headers);
  try {
    await pipeline(forwarded, response);
  } catch {
    // The head is sent, so the response can only be cut off. The service client has logged a failure of the service.
    response.destroy();
  }
}
