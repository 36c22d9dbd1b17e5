import { setTimeout as pause } from 'node:timers/promises';
import type { Postgres } from '@expert-relay/db';
import type { Part } from '@expert-relay/kit/lifecycle';
import type { Log } from '@expert-relay/kit/log';
import { createWakeup, type Wakeup } from '@expert-relay/kit/wakeup';
import type { NotifierMetrics } from '../notifier-metrics.ts';
import { type Attempt, recordAttempt, returnDeliveries, type SentTogether } from './record-attempt.ts';

/** Postgres is the timer: retries and the deliveries of other processes are found by looking. */
const pollMs = 1_000;
/** How long it tries to record a result. After the lease, the delivery is sent again. */
export const recordMs = 40_000;

/** Claimed deliveries that are sent together. */
export interface Job extends SentTogether {
  /** It rejects only after a fault of this service. */
  send(): Promise<Omit<Attempt, 'durationMs'>>;
  /** Called after the result was recorded. What fails here does not change the result. */
  recorded?(result: Omit<Attempt, 'durationMs'>): Promise<void>;
  /** Called at the end, whatever the result is. */
  release(): void;
}

/** One kind of deliveries, with slots of its own. */
export interface DeliveryQueue {
  readonly name: string;
  /** After a claim that has found nothing, the least time until the next one: no wakeup shortens it. */
  readonly minPauseMs: number;
  /** Whether a claim might find more, after one that has found something. */
  hasFreeSlots(): boolean;
  claim(): Promise<readonly Job[]>;
}

interface DelivererOptions {
  readonly database: Pick<Postgres, 'query'>;
  readonly queues: readonly DeliveryQueue[];
  readonly metrics: NotifierMetrics;
  readonly log: Log;
}

/** Claims deliveries that are due, and sends them. */
export class Deliverer implements Part {
  readonly name = 'deliverer';
  readonly #options: DelivererOptions;
  readonly #stopping = new AbortController();
  readonly #running = new Set<Promise<void>>();
  readonly #wakeups = new Set<Wakeup>();
  #loops: readonly Promise<void>[] = [];

  constructor(options: DelivererOptions) {
    this.#options = options;
  }

  /** Each queue has a loop of its own, so that one that fails or waits for Postgres does not delay the others. */
  async start(): Promise<void> {
    this.#loops = this.#options.queues.map((queue) => this.#run(queue));
  }

  /** Looks at once for deliveries that are due. */
  wake(): void {
    for (const wakeup of this.#wakeups) wakeup.wake();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#loops);
    await Promise.all(this.#running);
  }

  async #run(queue: DeliveryQueue): Promise<void> {
    const wakeup = createWakeup();
    this.#wakeups.add(wakeup);
    const { log } = this.#options;
    const { signal } = this.#stopping;
    const rest = (ms: number) => pause(ms, undefined, { signal }).catch(() => {});
    let hasFailed = false;
    while (!signal.aborted) {
      try {
        const jobs = await queue.claim();
        for (const job of jobs) this.#begin(job);
        hasFailed = false;
        if (jobs.length > 0 && queue.hasFreeSlots()) continue;
        if (jobs.length === 0) await rest(queue.minPauseMs);
        await wakeup.wait(pollMs, signal);
      } catch (error) {
        if (!hasFailed)
          log.warn(
            { queue: queue.name, reason: (error as Error).message },
            'no delivery can be claimed: trying again',
          );
        hasFailed = true;
        // A wakeup does not shorten this pause: many deliveries must not cause many attempts.
        await rest(pollMs);
      }
    }
  }

  #begin(job: Job): void {
    const { metrics } = this.#options;
    const running = this.#deliver(job).finally(() => {
      job.release();
      this.#running.delete(running);
      metrics.inFlight(this.#running.size);
      // The endpoint may have more deliveries that are due.
      this.wake();
    });
    this.#running.add(running);
    metrics.inFlight(this.#running.size);
  }

  async #deliver(job: Job): Promise<void> {
    const { database, metrics, log } = this.#options;
    const start = performance.now();
    try {
      const result = await job.send();
      const ms = performance.now() - start;
      metrics.attempted({ result: result.reason ?? 'delivered', ms });
      if (await this.#record(job, { ...result, durationMs: ms }))
        await job.recorded?.(result).catch((error: Error) => {
          log.error(
            { endpoint: job.endpointId, reason: error.message },
            'a result was recorded, and what follows it has failed',
          );
        });
    } catch (error) {
      log.error(
        { delivery: job.deliveries[0]?.id, reason: (error as Error).message },
        'a delivery could not be sent',
      );
      await returnDeliveries(database.query, job).catch(() => {});
    }
  }

  /** Whether it was recorded. */
  async #record(job: Job, attempt: Attempt): Promise<boolean> {
    const { database, metrics, log } = this.#options;
    const until = performance.now() + recordMs;
    for (;;) {
      try {
        const recorded = await recordAttempt(database.query, job, attempt);
        if (recorded?.isOff) {
          metrics.switchedOff();
          log.warn({ endpoint: job.endpointId, status: attempt.statusCode }, 'an endpoint was switched off');
        }
        return true;
      } catch (error) {
        if (performance.now() > until || this.#stopping.signal.aborted) {
          log.warn(
            { reason: (error as Error).message },
            'a result was not recorded: the delivery is sent again',
          );
          return false;
        }
        await pause(1_000, undefined, { signal: this.#stopping.signal }).catch(() => {});
      }
    }
  }
}
