import type { IncomingMessage } from 'node:http';
import { bodyLimit, ClientLeft, hasBody } from '@expert-relay/kit/http';
import { Counter, type Metrics } from '@expert-relay/kit/metrics';
import { Problem, unavailable } from '@expert-relay/kit/problem';
import type { ByteBudget } from './create-byte-budget.ts';
import type { EdgeResponse } from './edge-call.ts';

export interface BodyReceiver {
  /** Reads the whole body of a request. A second step gets the same body. Undefined if the request has none. */
  receive(request: IncomingMessage, response: EdgeResponse): Promise<Buffer | undefined>;
  /** Frees the memory of the body. Also happens when the response closes, which may be long after its beginning. */
  release(response: EdgeResponse): void;
}

/**
 * No service is called before the body is complete, so that slow clients use only memory of the gateway. When the memory is used
 * up, the oldest body that is not complete is refused. The server's request timeout ends a body after a minute.
 */
export function createBodyReceiver({
  memory,
  metrics,
}: {
  memory: ByteBudget;
  metrics: Metrics;
}): BodyReceiver {
  const refused = new Counter({
    name: 'relay_gateway_bodies_refused_total',
    help: 'Bodies that were refused before they were complete, because all memory was used.',
    registers: [metrics],
  });

  function release(response: EdgeResponse): void {
    const { call } = response.locals;
    call.body = undefined;
    call.freeBody?.();
  }

  async function receive(request: IncomingMessage, response: EdgeResponse): Promise<Buffer | undefined> {
    const { call } = response.locals;
    if (call.body || !hasBody(request)) return call.body;
    // The client may have left during the look-up of its key. Then the response emits no further `close`.
    if (response.closed) throw new ClientLeft();
    // HTTP/1.0 has no interim responses (RFC 9110, 10.1.1).
    const expectation = request.httpVersion === '1.0' ? '' : request.headers.expect;
    if (/100-continue/i.test(expectation ?? '')) response.writeContinue();
    call.body = await new Promise<Buffer>((resolve, reject) => {
      const maxSize = Number(request.headers['content-length'] ?? bodyLimit);
      /** The body so far is the first `size` bytes. */
      let buffer = noBytes;
      let size = 0;
      const lease = memory.open(() => {
        refused.inc();
        refuse(unavailable('Too many bodies arrive at the same time.'));
      });
      function free(): void {
        buffer = noBytes;
        lease.close();
      }
      function refuse(problem: Problem): void {
        request.off('data', addPiece).pause();
        free();
        reject(problem);
      }
      function addPiece(piece: Buffer): void {
        const lengthBefore = buffer.length;
        buffer = append(buffer, size, piece, maxSize);
        size += piece.length;
        if (size > bodyLimit) refuse(new Problem('payload_too_large'));
        else if (buffer.length > lengthBefore) lease.resize(buffer.length);
      }
      call.freeBody = free;
      request.on('data', addPiece);
      request.once('end', () => {
        lease.pin();
        resolve(buffer.length === size ? buffer : buffer.subarray(0, size));
      });
      response.once('close', () => {
        release(response);
        // If the body is complete, the promise is resolved already.
        reject(new ClientLeft());
      });
    });
    return call.body;
  }

  return { receive, release };
}

const noBytes: Buffer = Buffer.alloc(0);
const minGrowthBytes = 4_096;

/**
 * Adds a piece after the first `size` bytes of a buffer, which grows by doubling. A list of pieces would cost hundreds of
 * bytes for each piece, and a hostile client can send a body byte by byte. Most bodies are one piece and are not copied.
 */
function append(buffer: Buffer, size: number, piece: Buffer, maxSize: number): Buffer {
  if (size === 0) return piece;
  const newSize = size + piece.length;
  if (newSize <= buffer.length) {
    piece.copy(buffer, size);
    return buffer;
  }
  const capacity = Math.max(newSize, Math.min(2 * newSize + minGrowthBytes, maxSize));
  const larger = Buffer.allocUnsafeSlow(capacity);
  buffer.copy(larger, 0, 0, size);
  piece.copy(larger, size);
  return larger;
}
