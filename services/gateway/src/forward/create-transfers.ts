import type { Socket } from 'node:net';
import { Counter, Gauge, type Metrics } from '@expert-relay/kit/metrics';
import { createSharedMemory, type Held, type Share } from '../call/create-shared-memory.ts';
import type { EdgeResponse, UpstreamName } from '../call/edge-call.ts';

/** One answer on its way to the client. */
export interface Transfer {
  /** Keeps the piece until the client accepts it. False when the caller should wait for `onDrain`. */
  write(piece: Buffer): boolean;
  end(): void;
}

export interface TransferOptions {
  /** The service to which the answer occupies a connection until its end was received. */
  service?: UpstreamName;
  /** Called when no byte waits any longer. */
  onDrain?(): void;
}

export interface Transfers {
  begin(response: EdgeResponse, options?: TransferOptions): Transfer;
  /** Disconnects the slowest of the clients whose answers occupy a connection to a service. */
  disconnectSlowest(service: UpstreamName): void;
}

/** An answer of which bytes wait, or have waited, for the client. */
interface Waiting extends Held {
  readonly service: UpstreamName | undefined;
  /** How long the client has accepted none of the bytes that wait for it. */
  stalledMs(): number;
  disconnect(reason: Reason): void;
}

const reasons = ['slow', 'address', 'memory', 'connections'] as const;
type Reason = (typeof reasons)[number];

/** Node's timers cannot run for longer than 24 days. */
const maxTimerMs = 3_600_000;

/** Not the one with the lowest average: the kernel accepts megabytes for a client that never reads, and nothing for a new one. */
const slowestOf = (waiting: readonly [Waiting, ...Waiting[]]): Waiting =>
  waiting.reduce((slowest, one) => (one.stalledMs() > slowest.stalledMs() ? one : slowest));

/** A client that accepted something in this time does not lose its answer because other calls wait for connections. */
const minStalledMs = 1_000;

/**
 * Sends answers to clients, and disconnects clients that do not read them:
 *
 * - at less than `minRate` bytes per second on average. Only the time in which bytes wait for the client counts, without the
 *   first `graceMs`. The average is over the whole answer, because the kernel accepts megabytes at once and then nothing for
 *   a minute, even if the client reads steadily;
 * - for longest among those of an address, when more bytes wait for it than its share of `memory`, or among those of the
 *   address with most, when all of it is used;
 * - for longest of all, when a service has few connections left.
 */
export function createTransfers(options: {
  /** 0 = no limit. */
  minRate: number;
  /** Bytes that may wait for all clients. */
  memory: number;
  graceMs?: number | undefined;
  metrics: Metrics;
}): Transfers {
  const { minRate, graceMs = 10_000, metrics } = options;
  const disconnected = new Counter({
    name: 'relay_gateway_slow_clients_total',
    help: 'Answers that were cut off because their client read them too slowly.',
    labelNames: ['reason'],
    registers: [metrics],
  });
  // Boards and alerts need the series before the first client is disconnected.
  for (const reason of reasons) disconnected.inc({ reason }, 0);
  const memory = createSharedMemory<Waiting>({ total: options.memory, choose: slowestOf });
  new Gauge({
    name: 'relay_gateway_unread_bytes',
    help: 'Bytes of answers that wait for their clients.',
    registers: [metrics],
    collect() {
      this.set(memory.bytes);
    },
  });
  const allWaiting = new Set<Waiting>();

  function begin(response: EdgeResponse, { service, onDrain }: TransferOptions = {}): Transfer {
    /** What the response has not accepted yet. */
    const queue: Buffer[] = [];
    let queuedBytes = 0;
    let writtenBytes = 0;
    let hasEnded = false;
    /** The sum of the finished waits. */
    let waitedMs = 0;
    let waitingSince: number | undefined;
    let timer: NodeJS.Timeout | undefined;
    let share: Share | undefined;

    const readBytes = () => writtenBytes - response.writableLength;
    const stalledMs = () => (waitingSince === undefined ? 0 : performance.now() - waitingSince);

    const waiting: Waiting = {
      service,
      stalledMs,
      giveUp: (reason) => waiting.disconnect(reason === 'address' ? 'address' : 'memory'),
      disconnect(reason) {
        disconnected.inc({ reason });
        close();
        // Without a reset the kernel would keep megabytes until the client reads them.
        (response.socket as Socket | null)?.resetAndDestroy();
      },
    };

    function write(piece: Buffer): void {
      writtenBytes += piece.length;
      if (!response.write(piece)) beginWait();
    }

    function beginWait(): void {
      if (response.destroyed || response.closed) return;
      waitingSince = performance.now();
      if (!share) {
        share = memory.open(response.locals.call.client, waiting);
        if (!hasEnded) allWaiting.add(waiting);
      }
      share.resize(queuedBytes + response.writableLength);
      if (minRate > 0) check();
    }

    function check(): void {
      const allowedMs = graceMs + (readBytes() / minRate) * 1_000;
      const leftMs = allowedMs - waitedMs - stalledMs();
      if (leftMs > 0) timer = setTimeout(check, Math.min(leftMs, maxTimerMs));
      else waiting.disconnect('slow');
    }

    function endWait(): void {
      clearTimeout(timer);
      waitedMs += stalledMs();
      waitingSince = undefined;
    }

    function drain(): void {
      endWait();
      for (let piece = queue.shift(); piece; piece = queue.shift()) {
        queuedBytes -= piece.length;
        write(piece);
        if (waitingSince !== undefined) return;
      }
      share?.resize(0);
      if (hasEnded) end();
      else onDrain?.();
    }

    function end(): void {
      response.end();
      if (response.writableLength > 0 && waitingSince === undefined) beginWait();
    }

    function close(): void {
      endWait();
      queue.length = 0;
      share?.close();
      allWaiting.delete(waiting);
    }

    response.on('drain', drain);
    response.once('close', close);
    return {
      write(piece) {
        if (waitingSince === undefined) write(piece);
        else if (!response.closed) {
          queue.push(piece);
          queuedBytes += piece.length;
          share?.resize(queuedBytes + response.writableLength);
        }
        return waitingSince === undefined;
      },
      end() {
        hasEnded = true;
        // The answer no longer occupies its connection to the service.
        allWaiting.delete(waiting);
        if (queue.length === 0) end();
      },
    };
  }

  return {
    begin,
    disconnectSlowest(service) {
      const [first, ...others] = [...allWaiting].filter(
        (one) => one.service === service && one.stalledMs() >= minStalledMs,
      );
      if (first) slowestOf([first, ...others]).disconnect('connections');
    },
  };
}
