import type { IncomingMessage } from 'node:http';
import { bodyLimit, ClientLeft, hasBody, KeyedCounter, networkOf } from '@expert-relay/kit/http';
import { Counter, Gauge, type Metrics } from '@expert-relay/kit/metrics';
import { Problem, unavailable } from '@expert-relay/kit/problem';
import { createSharedMemory, type Held } from './create-shared-memory.ts';
import type { EdgeResponse } from './edge-call.ts';

export interface BodyReceiver {
  /** Reads the whole body of a call. A second step gets the same body. Undefined if the call has none. */
  receive(request: IncomingMessage, response: EdgeResponse): Promise<Buffer | undefined>;
  /** Frees the memory of the body. Also happens when the response closes, which may be long after its beginning. */
  release(response: EdgeResponse): void;
}

interface ArrivingBody extends Held {
  readonly network: string;
  readonly startedAt: number;
  isSlow: boolean;
  refuse(problem: Problem): void;
}

/** A body that is not complete after this time is slow. Only slow bodies count for the limit of an address. */
const defaultSlowAfterMs = 5_000;

/** The oldest slow body, or the newest if none is slow. */
function chooseBody(bodies: readonly [ArrivingBody, ...ArrivingBody[]]): ArrivingBody {
  const [oldest] = bodies;
  return oldest.isSlow ? oldest : (bodies.at(-1) ?? oldest);
}

/**
 * No service is called before the body is complete, so that slow clients use only memory of the gateway. Two limits
 * restrict that memory: the slow bodies of one address, and the bytes of all bodies of the process, of which each address
 * has a share. The server's request timeout ends a body after a minute.
 */
export function createBodyReceiver(options: {
  limits: { slowPerAddress: number; bytes: number };
  metrics: Metrics;
  slowAfterMs?: number | undefined;
}): BodyReceiver {
  const { limits, slowAfterMs = defaultSlowAfterMs } = options;
  const refused = new Counter({
    name: 'relay_gateway_bodies_refused_total',
    help: 'Bodies that were refused before they were complete.',
    labelNames: ['reason'],
    registers: [options.metrics],
  });
  const memory = createSharedMemory<ArrivingBody>({ total: limits.bytes, choose: chooseBody });
  new Gauge({
    name: 'relay_gateway_body_bytes',
    help: 'Memory of bodies that no service has received yet.',
    registers: [options.metrics],
    collect() {
      this.set(memory.bytes);
    },
  });
  /** Oldest first. */
  const arriving = new Set<ArrivingBody>();
  const slowByNetwork = new KeyedCounter();
  let checkTimer: NodeJS.Timeout | undefined;

  function add(body: ArrivingBody): void {
    arriving.add(body);
    checkTimer ??= setInterval(markSlowBodies, slowAfterMs / 5).unref();
  }

  function remove(body: ArrivingBody): void {
    if (!arriving.delete(body)) return;
    if (body.isSlow) slowByNetwork.add(body.network, -1);
    if (arriving.size > 0) return;
    clearInterval(checkTimer);
    checkTimer = undefined;
  }

  function markSlowBodies(): void {
    const now = performance.now();
    for (const body of arriving) {
      if (now - body.startedAt < slowAfterMs) return;
      if (body.isSlow) continue;
      body.isSlow = true;
      const count = slowByNetwork.add(body.network, 1);
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
    // HTTP/1.0 has no interim answers (RFC 9110, 10.1.1).
    const expectation = request.httpVersion === '1.0' ? '' : request.headers.expect;
    if (/100-continue/i.test(expectation ?? '')) response.writeContinue();
    call.body = await new Promise<Buffer>((resolve, reject) => {
      const maxSize = Number(request.headers['content-length'] ?? bodyLimit);
      /** The body so far is the first `size` bytes. */
      let buffer = noBytes;
      let size = 0;
      const body: ArrivingBody = {
        network: networkOf(call.client),
        startedAt: performance.now(),
        isSlow: false,
        refuse(problem) {
          request.off('data', addPiece).pause();
          free();
          reject(problem);
        },
        giveUp(reason) {
          refused.inc({ reason: reason === 'address' ? 'address' : 'memory' });
          body.refuse(
            reason === 'address'
              ? tooLargeTogether()
              : unavailable('Too many bodies arrive at the same time.'),
          );
        },
      };
      const share = memory.open(call.client, body);
      function free(): void {
        remove(body);
        buffer = noBytes;
        share.close();
      }
      function addPiece(piece: Buffer): void {
        const lengthBefore = buffer.length;
        buffer = append(buffer, size, piece, maxSize);
        size += piece.length;
        if (size > bodyLimit) body.refuse(new Problem('payload_too_large'));
        else if (buffer.length > lengthBefore) share.resize(buffer.length);
      }
      call.freeBody = free;
      add(body);
      request.on('data', addPiece);
      request.once('end', () => {
        remove(body);
        share.keep();
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

const tooLargeTogether = (): Problem =>
  new Problem('too_many_at_once', {
    detail: 'The uploads of this address that are under way are too large together.',
    headers: { 'retry-after': '5' },
  });

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
