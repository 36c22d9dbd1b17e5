import type { IncomingMessage } from 'node:http';
import { Problem } from '../problem/index.ts';

/** The contract's limit: 1 MiB. */
export const bodyLimit = 1_048_576;

/** Reads the bytes of a body, counting what truly arrives. */
export async function readBody(request: IncomingMessage, limit = bodyLimit): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of request.iterator({ destroyOnReturn: false })) {
    size += piece.length;
    if (size > limit) throw new Problem('payload_too_large');
    pieces.push(piece);
  }
  return pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces, size);
}
