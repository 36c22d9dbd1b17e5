import { createHash } from 'node:crypto';
import { parseApiKey } from '@expert-relay/kit/api-key';
import type { Clock } from '@expert-relay/kit/clock';
import { createWindowCounter, type WindowCounter } from '@expert-relay/kit/http';
import { Problem } from '@expert-relay/kit/problem';
import { StreamRefused } from '../http/refuse-stream.ts';
import type { ExchangeKey } from './exchange-key.ts';

/** The most exchanges that may wait for the requests service at the same time: of all clients, and of one network. */
const maxWaiting = 256;
const maxWaitingPerNetwork = 64;

/** For this time after a refusal, the key is refused without a call, even if it has been created since. */
const refusedMs = 5_000;
/** For this time, a key that was valid is exchanged even if its network has reached the limit of failures. */
const validMs = 300_000;
const maxRememberedKeys = 10_000;

/** Limits the calls to the requests service: guessed keys, repeated bad keys, and too many calls at once. */
export function limitKeyExchange(options: {
  exchange: ExchangeKey;
  failures: FailureLimit;
  clock: Clock;
}): ExchangeKey {
  const { exchange, failures, clock } = options;
  const refused = new RecentDigests({ clock, rememberedMs: refusedMs, max: maxRememberedKeys });
  const valid = new RecentDigests({ clock, rememberedMs: validMs, max: maxRememberedKeys });
  const waiting = new Map<string, number>();
  let allWaiting = 0;

  function count(network: string, change: 1 | -1): void {
    allWaiting += change;
    const newCount = (waiting.get(network) ?? 0) + change;
    if (newCount === 0) waiting.delete(network);
    else waiting.set(network, newCount);
  }

  return async (apiKey, topics, caller) => {
    const { network } = caller;
    // A mistyped key is refused by its checksum.
    if (!parseApiKey(apiKey)) throw new Problem('unauthorized');
    const digest = createHash('sha256').update(apiKey).digest('base64');
    if (refused.has(digest)) throw new Problem('unauthorized');
    // The guesses may come from another client at the same address, so a key that was recently valid is still accepted.
    if (failures.isReached(network) && !valid.has(digest)) throw new StreamRefused('too_many_failures');
    const isBusy = allWaiting >= maxWaiting || (waiting.get(network) ?? 0) >= maxWaitingPerNetwork;
    if (isBusy) throw new StreamRefused('busy');

    count(network, 1);
    try {
      const token = await exchange(apiKey, topics, caller);
      valid.add(digest);
      return token;
    } catch (error) {
      const status = error instanceof Problem ? error.status : 0;
      if (status === 401) refused.add(digest);
      if (status === 401 || status === 403) valid.delete(digest);
      throw error;
    } finally {
      count(network, -1);
    }
  };
}

/** Counts the authorisations that failed, by the client's network. */
export class FailureLimit {
  readonly #count: WindowCounter | undefined;

  /** At most `perMinute` failures of one network; 0 = no limit. */
  constructor({ perMinute, clock }: { perMinute: number; clock: Clock }) {
    this.#count = perMinute > 0 ? createWindowCounter({ limit: perMinute, clock }) : undefined;
  }

  isReached(network: string): boolean {
    return this.#count !== undefined && this.#count(network, 0).left <= 0;
  }

  /** Counts one failure; true if it exceeds the limit. */
  add(network: string): boolean {
    return this.#count !== undefined && this.#count(network).left < 0;
  }
}

/** Remembers keys for some time, by their digests. When it is full, the oldest are forgotten. */
export class RecentDigests {
  readonly #since = new Map<string, number>();
  readonly #clock: Clock;
  readonly #rememberedMs: number;
  readonly #max: number;

  constructor(options: { clock: Clock; rememberedMs: number; max: number }) {
    this.#clock = options.clock;
    this.#rememberedMs = options.rememberedMs;
    this.#max = options.max;
  }

  has(digest: string): boolean {
    const since = this.#since.get(digest);
    if (since === undefined) return false;
    const age = this.#clock.now() - since;
    // If the clock was set back, the digest is forgotten and not remembered for longer.
    if (age >= 0 && age < this.#rememberedMs) return true;
    this.#since.delete(digest);
    return false;
  }

  add(digest: string): void {
    this.#since.delete(digest);
    this.#since.set(digest, this.#clock.now());
    const [oldest] = this.#since.keys();
    if (this.#since.size > this.#max && oldest !== undefined) this.#since.delete(oldest);
  }

  delete(digest: string): void {
    this.#since.delete(digest);
  }
}
