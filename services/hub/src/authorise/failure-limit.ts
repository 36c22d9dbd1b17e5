import type { Clock } from '@expert-relay/kit/clock';
import { createWindowCounter, type WindowCounter } from '@expert-relay/kit/http';

/** Counts the authorisations that failed, by the client's network. */
export class FailureLimit {
  readonly #count: WindowCounter | undefined;

  /** `perMinute` failures of one network, at most; 0 = no limit. */
  constructor({ perMinute, clock }: { perMinute: number; clock: Clock }) {
    this.#count = perMinute > 0 ? createWindowCounter({ limit: perMinute, clock }) : undefined;
  }

  isReached(network: string): boolean {
    return this.#count !== undefined && this.#count(network, 0).left <= 0;
  }

  /** Counts one failure; says whether it was one too many. */
  add(network: string): boolean {
    return this.#count !== undefined && this.#count(network).left < 0;
  }
}
