import type { Clock } from '@expert-relay/kit/clock';
import { MinuteCounts, sharesByCredential, sharesByNetwork } from '../authorise/shares.ts';
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
    const shares = credential
      ? sharesByCredential(credential, this.#limits)
      : sharesByNetwork(network, this.#limits.perAddress);
    const uncounted = shares.filter(({ holder }) => !counted.has(holder));
    const full = uncounted.find((share) => this.#counts.of(share) >= share.limit);
    if (full) {
      this.#refused.inc({ holder: full.kind });
      return false;
    }
    for (const share of uncounted) {
      this.#counts.add(share);
      counted.add(share.holder);
    }
    this.#admitted.add(subscriber);
    return true;
  }
}
