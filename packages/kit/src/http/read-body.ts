import type { IncomingMessage } from 'node:http';
import { Problem } from '../problem/index.ts';

/** The contract's limit: 1 MiB. */
export const bodyLimit = 1_048_576;

export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > 0;

/**
 * Reads the bytes of a body, counting what truly arrives; what is beyond the limit is read away, since a
 * connection that is kept alive takes no further call before. Without the stream's own iterator, which took
 * longer than everything else that is done with the bytes.
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
