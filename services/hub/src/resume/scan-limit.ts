import type { Clock } from '@expert-relay/kit/clock';
import { createWindowCounter, type WindowCounter } from '@expert-relay/kit/http';
import type { StreamMetrics } from '../sse/stream-metrics.ts';
import type { Subscriber } from '../sse/subscriber.ts';

/**
 * Limits the scans a minute that one credential, or one address without a credential, may cause. A subscriber that was
 * admitted once is always admitted: a slow reader needs many scans to catch up.
 */
export class ScanLimit {
  readonly #perAddress: WindowCounter | undefined;
  readonly #perCredential: WindowCounter | undefined;
  readonly #refused: StreamMetrics['scansRefused'];
  readonly #admitted = new WeakSet<Subscriber>();

  constructor(options: {
    /** Scans a minute; 0 = no limit. */
    limits: { perAddress: number; perCredential: number };
    clock: Clock;
    refused: StreamMetrics['scansRefused'];
  }) {
    const { limits, clock } = options;
    const { perAddress, perCredential } = limits;
    this.#refused = options.refused;
    if (perAddress > 0) this.#perAddress = createWindowCounter({ limit: perAddress, clock });
    if (perCredential > 0) this.#perCredential = createWindowCounter({ limit: perCredential, clock });
  }

  /**
   * Counts the subscriber's credential or address, unless it is in `counted`, to which it is added: the subscribers that
   * will share a scan pass the same set.
   */
  admits(subscriber: Subscriber, counted: Set<string>): boolean {
    if (this.#admitted.has(subscriber)) return true;
    const { credential, network } = subscriber;
    const holder = credential?.id ?? network;
    if (!counted.has(holder)) {
      const count = credential ? this.#perCredential : this.#perAddress;
      if (count && count(holder).left < 0) {
        this.#refused.inc({ holder: credential ? 'credential' : 'address' });
        return false;
      }
      counted.add(holder);
    }
    this.#admitted.add(subscriber);
    return true;
  }
}
