import type { IncomingMessage } from 'node:http';
import { bodyLimit, ClientLeft, hasBody, networkOf } from '@expert-relay/kit/http';
import { Counter, Gauge, type Metrics } from '@expert-relay/kit/metrics';
import { Problem, unavailable } from '@expert-relay/kit/problem';
import type { EdgeResponse } from './edge-call.ts';

/** Reads the whole body of a call. A second step gets the same body. Undefined if the call has none. */
export type ReceiveBody = (request: IncomingMessage, response: EdgeResponse) => Promise<Buffer | undefined>;

interface ArrivingBody {
  readonly network: string;
  readonly startedAt: number;
  isSlow: boolean;
  refuse(problem: Problem): void;
}

/** A body that is not complete after this time is slow. Only slow bodies count for the limit of an address. */
const defaultSlowAfterMs = 5_000;

/**
 * No service is called before the body is complete, so that slow clients use only memory of the gateway. Two limits
 * restrict that memory: the slow bodies of one address, and the bytes of all bodies of the process. The server's request
 * timeout ends a body after a minute.
 */
export function createBodyReceiver(options: {
  limits: { slowPerAddress: number; bytes: number };
  metrics: Metrics;
  slowAfterMs?: number | undefined;
}): ReceiveBody {
  const { limits, slowAfterMs = defaultSlowAfterMs } = options;
  const refused = new Counter({
    name: 'relay_gateway_bodies_refused_total',
    help: 'Bodies that were refused before they were complete.',
    labelNames: ['reason'],
    registers: [options.metrics],
  });
  new Gauge({
    name: 'relay_gateway_body_bytes',
    help: 'Memory of bodies that are held until their calls are answered.',
    registers: [options.metrics],
    collect() {
      this.set(heldBytes);
    },
  });
  /** Oldest first. */
  const arriving = new Set<ArrivingBody>();
  const slowByNetwork = new Map<string, number>();
  let heldBytes = 0;
  let checkTimer: NodeJS.Timeout | undefined;

  function add(body: ArrivingBody): void {
    arriving.add(body);
    checkTimer ??= setInterval(markSlowBodies, slowAfterMs / 5).unref();
  }

  function remove(body: ArrivingBody): void {
    if (!arriving.delete(body)) return;
    if (body.isSlow) countSlow(body.network, -1);
    if (arriving.size > 0) return;
    clearInterval(checkTimer);
    checkTimer = undefined;
  }

  function countSlow(network: string, change: 1 | -1): number {
    const count = (slowByNetwork.get(network) ?? 0) + change;
    if (count > 0) slowByNetwork.set(network, count);
    else slowByNetwork.delete(network);
    return count;
  }

  function markSlowBodies(): void {
    const now = performance.now();
    for (const body of arriving) {
      if (now - body.startedAt < slowAfterMs) return;
      if (body.isSlow) continue;
      body.isSlow = true;
      const count = countSlow(body.network, 1);
      if (limits.slowPerAddress === 0 || count <= limits.slowPerAddress) continue;
      refused.inc({ reason: 'slow' });
      body.refuse(
        new Problem('too_many_at_once', {
          detail: 'Too many slow uploads of this address are open at the same time.',
          headers: { 'retry-after': '60', connection: 'close' },
        }),
      );
    }
  }

  /** Refuses the oldest slow body, or the newest body if none is slow. */
  function freeMemory(newest: ArrivingBody): void {
    const [oldest = newest] = arriving;
    refused.inc({ reason: 'memory' });
    (oldest.isSlow ? oldest : newest).refuse(unavailable('Too many bodies arrive at the same time.'));
  }

  return async (request, response) => {
    const { call } = response.locals;
    if (call.body || !hasBody(request)) return call.body;
    // The client may have left during the look-up of its key. Then the response emits no further `close`.
    if (response.closed) throw new ClientLeft();
    if (/100-continue/i.test(request.headers.expect ?? '')) response.writeContinue();
    call.body = await new Promise<Buffer>((resolve, reject) => {
      const maxSize = Number(request.headers['content-length'] ?? bodyLimit);
      /** The body so far is the first `size` bytes. */
      let buffer: Buffer = Buffer.alloc(0);
      let size = 0;
      const body: ArrivingBody = {
        network: networkOf(call.client),
        startedAt: performance.now(),
        isSlow: false,
        refuse(problem) {
          request.off('data', addPiece).pause();
          remove(body);
          reject(problem);
        },
      };
      function addPiece(piece: Buffer): void {
        const lengthBefore = buffer.length;
        buffer = append(buffer, size, piece, maxSize);
        size += piece.length;
        heldBytes += buffer.length - lengthBefore;
        if (size > bodyLimit) body.refuse(new Problem('payload_too_large'));
        else if (buffer.length > lengthBefore && heldBytes > limits.bytes) freeMemory(body);
      }
      add(body);
      request.on('data', addPiece);
      request.once('end', () => {
        remove(body);
        resolve(buffer.length === size ? buffer : buffer.subarray(0, size));
      });
      response.once('close', () => {
        remove(body);
        heldBytes -= buffer.length;
        // If the body is complete, the promise is resolved already.
        reject(new ClientLeft());
      });
    });
    return call.body;
  };
}

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
