import type { ServerResponse } from 'node:http';
import { Counter, type Metrics } from '@expert-relay/kit/metrics';

/** One answer on its way to the client. */
export interface Transfer {
  /** False when the caller should wait for the response's `drain`. */
  write(piece: Buffer): boolean;
  end(): void;
}

export type LimitTransfer = (response: ServerResponse) => Transfer;

const longestTimer = 3_600_000;

/**
 * Disconnects a client that takes an answer at less than `minRate` bytes per second, on average since the
 * beginning; `grace` is the time in milliseconds that it may take in addition. Only time in which bytes wait for
 * the client counts. There are no shorter windows, because the kernel accepts megabytes at once and then nothing
 * for a minute, even if the client reads steadily.
 */
export function limitTransferTime(options: {
  /** 0 = no limit. */
  minRate: number;
  grace?: number | undefined;
  metrics: Metrics;
}): LimitTransfer {
  const { minRate, grace = 10_000, metrics } = options;
  const disconnected = new Counter({
    name: 'relay_gateway_slow_clients_total',
    help: 'Answers that were cut off because their client took them too slowly.',
    registers: [metrics],
  });

  return (response) => {
    let written = 0;
    let waited = 0;
    let waitingSince: number | undefined;
    let timer: NodeJS.Timeout | undefined;

    function beginWait(): void {
      if (minRate === 0 || waitingSince !== undefined || response.destroyed) return;
      waitingSince = performance.now();
      check(waitingSince);
    }

    function check(since: number): void {
      const taken = written - response.writableLength;
      const left = grace + (taken / minRate) * 1_000 - waited - (performance.now() - since);
      if (left > 0) timer = setTimeout(check, Math.min(left, longestTimer), since);
      else {
        disconnected.inc();
        // Without a reset the kernel would keep megabytes until the client takes them.
        response.socket?.resetAndDestroy();
      }
    }

    function endWait(): void {
      if (waitingSince === undefined) return;
      clearTimeout(timer);
      waited += performance.now() - waitingSince;
      waitingSince = undefined;
    }

    response.on('drain', endWait);
    response.once('close', endWait);

    return {
      write(piece) {
        written += piece.length;
        const goesOn = response.write(piece);
        if (!goesOn) beginWait();
        return goesOn;
      },
      end() {
        response.end();
        if (response.writableLength > 0) beginWait();
      },
    };
  };
}
