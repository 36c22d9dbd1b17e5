import { createHash } from 'node:crypto';
import type { Clock } from '@expert-relay/kit/clock';

/** Remembers keys for a while, by their digests. When it is full the oldest are forgotten. */
export class RecentDigests {
  readonly #since = new Map<string, number>();
  readonly #clock: Clock;
  readonly #lifeMs: number;
  readonly #most: number;

  constructor(options: { clock: Clock; lifeMs: number; most: number }) {
    this.#clock = options.clock;
    this.#lifeMs = options.lifeMs;
    this.#most = options.most;
  }

  has(digest: string): boolean {
    const since = this.#since.get(digest);
    if (since === undefined) return false;
    const age = this.#clock.now() - since;
    // A clock that was set back must not prolong it.
    if (age >= 0 && age < this.#lifeMs) return true;
    this.#since.delete(digest);
    return false;
  }

  add(digest: string): void {
    this.#since.delete(digest);
    this.#since.set(digest, this.#clock.now());
    const [oldest] = this.#since.keys();
    if (this.#since.size > this.#most && oldest !== undefined) this.#since.delete(oldest);
  }

  delete(digest: string): void {
    this.#since.delete(digest);
  }
}

export const digestOf = (apiKey: string): string => createHash('sha256').update(apiKey).digest('base64');
