import type { IncomingMessage } from 'node:http';
import { Problem } from '../problem/index.ts';
import { parseJson } from './parse-json.ts';

/** The contract's limit: 1 MiB. */
export const bodyLimit = 1_048_576;

export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > 0;

/**
 * Reads the bytes of a body and counts those that really arrive. Bytes beyond the limit are read and dropped, since a
 * kept-alive connection takes no further call before. The stream's own iterator would take most of the time.
 */
export function readBody(request: IncomingMessage, limit = bodyLimit): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let size = 0;
    let ended = false;
    const take = (piece: Buffer) => {
      size += piece.length;
      if (size <= limit) {
        pieces.push(piece);
        return;
      }
      request.off('data', take).resume();
      reject(new Problem('payload_too_large'));
    };
    const leave = () => {
      if (!ended) reject(new ClientLeft());
    };
    request.on('data', take);
    request.once('end', () => {
      ended = true;
      resolve(pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces, size));
    });
    if (request.destroyed) leave();
    else request.once('close', leave);
  });
}

/** The client will not see an answer, and nothing failed here. It has the code of Node's streams for this. */
export class ClientLeft extends Error {
  readonly code = 'ERR_STREAM_PREMATURE_CLOSE';

  constructor() {
    super('the client left before it was answered');
  }
}

/** The body of a call as one JSON object; an absent one, where that is allowed, as an empty object. */
export async function readJson(
  request: IncomingMessage,
  options: { optional?: boolean } = {},
): Promise<Record<string, unknown>> {
  if (!hasBody(request) && options.optional) return {};
  checkContentType(request);
  return parseJson(await readBody(request));
}

export function checkContentType(request: IncomingMessage): void {
  const [type, ...parameters] = (request.headers['content-type'] ?? '').toLowerCase().split(';');
  const charset = parameters.map((text) => text.trim()).find((text) => text.startsWith('charset='));
  const isUtf8 = charset === undefined || /^charset="?utf-8"?$/.test(charset);
  if (type?.trim() !== 'application/json' || !isUtf8 || request.headers['content-encoding'] !== undefined) {
    throw new Problem('unsupported_media_type');
  }
}
