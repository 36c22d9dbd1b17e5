import type { ServerResponse } from 'node:http';
import { Counter, type Metrics } from '@expert-relay/kit/metrics';

/** One answer on its way to the client. */
export interface Transfer {
  /** False when the caller should wait for the response's `drain`. */
  write(piece: Buffer): boolean;
  end(): void;
}

export type LimitTransfer = (response: ServerResponse) => Transfer;

/** Node's timers cannot run for longer than 24 days. */
const maxTimerMs = 3_600_000;

/**
 * Disconnects a client that reads an answer at less than `minRate` bytes per second on average. Only the time in which bytes
 * wait for the client counts, without the first `graceMs`. The average is over the whole answer, because the kernel accepts
 * megabytes at once and then nothing for a minute, even if the client reads steadily.
 */
export function limitTransferTime(options: {
  /** 0 = no limit. */
  minRate: number;
  graceMs?: number | undefined;
  metrics: Metrics;
}): LimitTransfer {
  const { minRate, graceMs = 10_000, metrics } = options;
  const disconnected = new Counter({
    name: 'relay_gateway_slow_clients_total',
    help: 'Answers that were cut off because their client read them too slowly.',
    registers: [metrics],
  });

  return (response) => {
    let writtenBytes = 0;
    /** The sum of the finished waits. */
    let waitedMs = 0;
    let waitingSince: number | undefined;
    let timer: NodeJS.Timeout | undefined;

    function beginWait(): void {
      if (minRate === 0 || waitingSince !== undefined || response.destroyed) return;
      waitingSince = performance.now();
      check(waitingSince);
    }

    function check(since: number): void {
      const readBytes = writtenBytes - response.writableLength;
      const allowedMs = graceMs + (readBytes / minRate) * 1_000;
      const leftMs = allowedMs - waitedMs - (performance.now() - since);
      if (leftMs > 0) timer = setTimeout(check, Math.min(leftMs, maxTimerMs), since);
      else {
        disconnected.inc();
        // Without a reset the kernel would keep megabytes until the client reads them.
        response.socket?.resetAndDestroy();
      }
    }

    function endWait(): void {
      if (waitingSince === undefined) return;
      clearTimeout(timer);
      waitedMs += performance.now() - waitingSince;
      waitingSince = undefined;
    }

    response.on('drain', endWait);
    response.once('close', endWait);

    return {
      write(piece) {
        writtenBytes += piece.length;
        const canContinue = response.write(piece);
        if (!canContinue) beginWait();
        return canContinue;
      },
      end() {
        response.end();
        if (response.writableLength > 0) beginWait();
      },
    };
  };
}
