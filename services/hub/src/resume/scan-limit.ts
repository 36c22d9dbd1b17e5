import type { Clock } from '@expert-relay/kit/clock';
import { limitsOfCredential, limitsOfNetwork, MinuteCounts } from '../authorise/limits.ts';
import type { StreamMetrics } from '../sse/stream-metrics.ts';
import type { Subscriber } from '../sse/subscriber.ts';

/** Scans a minute; 0 = no limit. */
interface Limits {
  readonly perAddress: number;
  readonly perCredential: number;
  readonly perUser: number;
}

/**
 * Limits the scans a minute that one credential and its user, or one address without a credential, may cause. A subscriber
 * that was admitted once is always admitted: a slow subscriber needs many scans to catch up.
 */
export class ScanLimit {
  readonly #limits: Limits;
  readonly #counts: MinuteCounts;
  readonly #refused: StreamMetrics['scansRefused'];
  readonly #admitted = new WeakSet<Subscriber>();

  constructor(options: { limits: Limits; clock: Clock; refused: StreamMetrics['scansRefused'] }) {
    this.#limits = options.limits;
    this.#counts = new MinuteCounts(options.clock);
    this.#refused = options.refused;
  }

  /**
   * Counts the subscriber's credential and user, or its address, unless they are in `counted`, to which they are added: the
   * subscribers that will share a scan pass the same set.
   */
  admits(subscriber: Subscriber, counted: Set<string>): boolean {
    if (this.#admitted.has(subscriber)) return true;
    const { credential, network } = subscriber;
    const limits = credential
      ? limitsOfCredential(credential, this.#limits)
      : limitsOfNetwork(network, this.#limits.perAddress);
    const uncounted = limits.filter(({ holder }) => !counted.has(holder));
    const full = uncounted.find((limit) => this.#counts.of(limit) >= limit.max);
    if (full) {
      this.#refused.inc({ holder: full.kind });
      return false;
    }
    for (const limit of uncounted) {
      this.#counts.add(limit);
      counted.add(limit.holder);
    }
    this.#admitted.add(subscriber);
    return true;
  }
}
