import type { Socket } from 'node:net';
import { Counter, type Metrics } from '@expert-relay/kit/metrics';
import type { ByteBudget, Lease } from '../call/create-byte-budget.ts';
import type { EdgeResponse } from '../call/edge-call.ts';

/** One response on its way to the client. */
export interface Transfer {
  /** Keeps the piece until the client accepts it. False when the caller should wait for `onDrain`. */
  write(piece: Buffer): boolean;
  end(): void;
}

export type BeginTransfer = (
  response: EdgeResponse,
  options?: {
    /** Called when no byte waits any longer. */
    onDrain?: () => void;
    /** Bytes that a service keeps while this client reads nothing, besides those that are here. */
    bytesAtService?: number;
  },
) => Transfer;

const reasons = ['slow', 'memory'] as const;

/** Node's timers cannot run for longer than 24 days. */
const maxTimerMs = 3_600_000;

/**
 * Sends responses to clients, and disconnects clients that do not read them:
 *
 * - The client that has read nothing for longest, when the memory is used up. A low average would be a wrong sign: the kernel
 *   accepts megabytes for a client that never reads, and nothing for a new one.
 * - A client that reads less than `minRate` bytes per second on average. Only the time in which bytes wait for it counts, without
 *   the first `graceMs`. The average is over the whole response, because the kernel accepts megabytes at once and then nothing for a
 *   minute, even if the client reads steadily.
 */
export function createTransfers(options: {
  memory: ByteBudget;
  metrics: Metrics;
  minRate?: number | undefined;
  graceMs?: number | undefined;
}): BeginTransfer {
  const { memory, metrics, minRate = 8_192, graceMs = 10_000 } = options;
  const disconnected = new Counter({
    name: 'relay_gateway_responses_cut_off_total',
    help: 'Responses that were cut off because their client read too slowly, or nothing for longest when all memory was used.',
    labelNames: ['reason'],
    registers: [metrics],
  });
  // Boards and alerts need the series before the first client is disconnected.
  for (const reason of reasons) disconnected.inc({ reason }, 0);

  return (response, { onDrain, bytesAtService = 0 } = {}) => {
    /** What the response has not accepted yet. */
    const queue: Buffer[] = [];
    let queuedBytes = 0;
    let writtenBytes = 0;
    let hasEnded = false;
    /** While bytes wait for the client. */
    let lease: Lease | undefined;
    let timer: NodeJS.Timeout | undefined;
    let waitingSince = 0;
    /** The sum of the finished waits. */
    let waitedMs = 0;

    function write(piece: Buffer): void {
      writtenBytes += piece.length;
      if (!response.write(piece)) beginWait();
    }

    function beginWait(): void {
      if (response.destroyed || response.closed) return;
      waitingSince = performance.now();
      lease = memory.open(() => disconnect('memory'));
      checkRate();
      resizeLease();
    }

    function resizeLease(): void {
      lease?.resize(bytesAtService + queuedBytes + response.writableLength);
    }

    function endWait(): void {
      if (!lease) return;
      clearTimeout(timer);
      lease.close();
      lease = undefined;
      waitedMs += performance.now() - waitingSince;
    }

    function checkRate(): void {
      const readBytes = writtenBytes - response.writableLength;
      const allowedMs = graceMs + (readBytes / minRate) * 1_000;
      const leftMs = allowedMs - waitedMs - (performance.now() - waitingSince);
      if (leftMs > 0) timer = setTimeout(checkRate, Math.min(leftMs, maxTimerMs));
      else disconnect('slow');
    }

    function drain(): void {
      endWait();
      for (let piece = queue.shift(); piece; piece = queue.shift()) {
        queuedBytes -= piece.length;
        write(piece);
        if (lease) return;
      }
      if (hasEnded) end();
      else onDrain?.();
    }

    function end(): void {
      response.end();
      if (response.writableLength > 0 && !lease) beginWait();
    }

    function close(): void {
      endWait();
      queue.length = 0;
    }

    function disconnect(reason: (typeof reasons)[number]): void {
      disconnected.inc({ reason });
      close();
      // Without a reset the kernel would keep megabytes until the client reads them.
      (response.socket as Socket | null)?.resetAndDestroy();
    }

    response.on('drain', drain);
    response.once('close', close);
    return {
      write(piece) {
        if (!lease) write(piece);
        else {
          queue.push(piece);
          queuedBytes += piece.length;
          resizeLease();
        }
        return lease === undefined;
      },
      end() {
        hasEnded = true;
        if (queue.length === 0) end();
      },
    };
  };
}
