import type { IncomingMessage } from 'node:http';
import { bodyLimit, ClientLeft, hasBody, networkOf } from '@expert-relay/kit/http';
import { Counter, Gauge, type Metrics } from '@expert-relay/kit/metrics';
import { Problem } from '@expert-relay/kit/problem';
import type { EdgeResponse } from './edge-call.ts';
import { unavailable } from './send-refusal.ts';

/** Reads the whole body of a call, once; undefined if it has none. */
export type ReceiveBody = (request: IncomingMessage, response: EdgeResponse) => Promise<Buffer | undefined>;

interface ArrivingBody {
  readonly network: string;
  readonly since: number;
  isSlow: boolean;
  refuse(problem: Problem): void;
}

/** In milliseconds. A body that is not complete after this time is slow; only slow bodies are counted. */
const slowAfterMs = 5_000;

/**
 * No service is called before the body is complete, so that slow clients occupy memory of the gateway alone. Two limits
 * bound that: how many slow bodies one address may have, and how many bytes of bodies the process holds. The server's
 * request timeout ends a body after a minute.
 */
export function createBodyReceiver(options: {
  limits: { slowPerAddress: number; bytes: number };
  metrics: Metrics;
  slowAfter?: number | undefined;
}): ReceiveBody {
  const { limits, slowAfter = slowAfterMs } = options;
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
  let checking: NodeJS.Timeout | undefined;

  function add(body: ArrivingBody): void {
    arriving.add(body);
    checking ??= setInterval(findSlow, slowAfter / 5).unref();
  }

  function remove(body: ArrivingBody): void {
    if (!arriving.delete(body)) return;
    if (body.isSlow) changeSlow(body.network, -1);
    if (arriving.size > 0) return;
    clearInterval(checking);
    checking = undefined;
  }

  function changeSlow(network: string, change: 1 | -1): number {
    const count = (slowByNetwork.get(network) ?? 0) + change;
    if (count > 0) slowByNetwork.set(network, count);
    else slowByNetwork.delete(network);
    return count;
  }

  function findSlow(): void {
    const now = performance.now();
    for (const body of arriving) {
      if (now - body.since < slowAfter) return;
      if (body.isSlow) continue;
      body.isSlow = true;
      const count = changeSlow(body.network, 1);
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

  /** Frees memory: refuses the oldest slow body, or the newest one if none is slow. */
  function makeRoom(newest: ArrivingBody): void {
    const [oldest = newest] = arriving;
    const body = oldest.isSlow ? oldest : newest;
    refused.inc({ reason: 'memory' });
    body.refuse(unavailable('Too many bodies arrive at the same time.'));
  }

  return async (request, response) => {
    const { call } = response.locals;
    if (call.body || !hasBody(request)) return call.body;
    if (/100-continue/i.test(request.headers.expect ?? '')) response.writeContinue();
    call.body = await new Promise<Buffer>((resolve, reject) => {
      const declared = Number(request.headers['content-length'] ?? bodyLimit);
      let held: Buffer = Buffer.alloc(0);
      let size = 0;
      const body: ArrivingBody = {
        network: networkOf(call.client),
        since: performance.now(),
        isSlow: false,
        refuse(problem) {
          request.off('data', take).pause();
          remove(body);
          reject(problem);
        },
      };
      function take(piece: Buffer): void {
        const before = held.length;
        held = append(held, size, piece, declared);
        size += piece.length;
        heldBytes += held.length - before;
        if (size > bodyLimit) body.refuse(new Problem('payload_too_large'));
        else if (held.length > before && heldBytes > limits.bytes) makeRoom(body);
      }
      add(body);
      request.on('data', take);
      request.once('end', () => {
        remove(body);
        resolve(held.length === size ? held : held.subarray(0, size));
      });
      response.once('close', () => {
        remove(body);
        heldBytes -= held.length;
        // After the end of the body this changes nothing.
        reject(new ClientLeft());
      });
    });
    return call.body;
  };
}

const leastGrowth = 4_096;

/**
 * Adds a piece behind the first `size` bytes of `held`, which grows by doubling. A list of pieces would cost hundreds of
 * bytes for each, and a hostile client can send a body byte by byte. Most bodies come in one piece and are not copied.
 */
function append(held: Buffer, size: number, piece: Buffer, declared: number): Buffer {
  if (size === 0) return piece;
  const needed = size + piece.length;
  if (needed <= held.length) {
    piece.copy(held, size);
    return held;
  }
  const grown = Buffer.allocUnsafeSlow(Math.max(needed, Math.min(2 * needed + leastGrowth, declared)));
  held.copy(grown, 0, 0, size);
  piece.copy(grown, size);
  return grown;
}
