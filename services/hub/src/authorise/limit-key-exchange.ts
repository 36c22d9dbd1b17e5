import { createHash } from 'node:crypto';
import { parseApiKey } from '@expert-relay/kit/api-key';
import type { Clock } from '@expert-relay/kit/clock';
import { Problem } from '@expert-relay/kit/problem';
import { StreamRefused } from '../http/refuse-stream.ts';
import type { ExchangeKey } from './exchange-key.ts';
import { CurrentCounts, type Limit, limitsOfNetwork, MinuteCounts, userHolder } from './limits.ts';

/** The most exchanges that may wait for the requests service at the same time. */
const maxWaiting = {
  all: 256,
  perAddress: 64,
  perUser: 64,
  /** Of the keys that were not valid recently: the user of such a key is not known, and anyone can invent more of them. */
  unknownKeys: 128,
};

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
  const refused = new RecentDigests<true>({ clock, rememberedMs: refusedMs, max: maxRememberedKeys });
  /** The users of the keys. */
  const valid = new RecentDigests<string>({ clock, rememberedMs: validMs, max: maxRememberedKeys });
  const waiting = new CurrentCounts();

  return async (apiKey, topics, call) => {
    const { network } = call;
    // A mistyped key is refused by its checksum.
    if (!parseApiKey(apiKey)) throw new Problem('unauthorized');
    const digest = createHash('sha256').update(apiKey).digest('base64');
    if (refused.get(digest)) throw new Problem('unauthorized');
    // The guesses may come from another client at the same address, so a key that was recently valid is still accepted.
    const userId = valid.get(digest);
    if (failures.isReached(network) && userId === undefined) throw new StreamRefused('too_many_failures');
    const limits = limitsOf(network, userId);
    if (waiting.reached(limits)) throw new StreamRefused('busy');

    waiting.add(limits);
    try {
      const grant = await exchange(apiKey, topics, call);
      if (grant) valid.set(digest, grant.credential.userId);
      return grant;
    } catch (error) {
      const status = error instanceof Problem ? error.status : 0;
      if (status === 401) refused.set(digest, true);
      if (status === 401 || status === 403) valid.delete(digest);
      throw error;
    } finally {
      waiting.remove(limits);
    }
  };
}

const limitsOf = (network: string, userId: string | undefined): readonly Limit[] => [
  { kind: 'all', holder: 'all', max: maxWaiting.all },
  ...limitsOfNetwork(network, maxWaiting.perAddress),
  userId === undefined
    ? { kind: 'all', holder: 'unknown keys', max: maxWaiting.unknownKeys }
    : { kind: 'user', holder: userHolder(userId), max: maxWaiting.perUser },
];

/** Counts the authorisations that failed, by the client's network. */
export class FailureLimit {
  readonly #perMinute: number;
  readonly #counts: MinuteCounts;

  /** At most `perMinute` failures of one address; 0 = no limit. */
  constructor({ perMinute, clock }: { perMinute: number; clock: Clock }) {
    this.#perMinute = perMinute;
    this.#counts = new MinuteCounts(clock);
  }

  isReached(network: string): boolean {
    return this.#limitsOf(network).some((limit) => this.#counts.of(limit) >= limit.max);
  }

  /** Counts one failure; true if it exceeds the limit. */
  add(network: string): boolean {
    const limits = this.#limitsOf(network);
    for (const limit of limits) this.#counts.add(limit);
    return limits.some((limit) => this.#counts.of(limit) > limit.max);
  }

  #limitsOf(network: string): readonly Limit[] {
    return limitsOfNetwork(network, this.#perMinute);
  }
}

/** Remembers something about keys for some time, by their digests. When it is full, the oldest are forgotten. */
export class RecentDigests<T> {
  readonly #known = new Map<string, { readonly value: T; readonly since: number }>();
  readonly #clock: Clock;
  readonly #rememberedMs: number;
  readonly #max: number;

  constructor(options: { clock: Clock; rememberedMs: number; max: number }) {
    this.#clock = options.clock;
    this.#rememberedMs = options.rememberedMs;
    this.#max = options.max;
  }

  get(digest: string): T | undefined {
    const known = this.#known.get(digest);
    if (!known) return undefined;
    const age = this.#clock.now() - known.since;
    // If the clock was set back, the digest is forgotten and not remembered for longer.
    if (age >= 0 && age < this.#rememberedMs) return known.value;
    this.#known.delete(digest);
    return undefined;
  }

  set(digest: string, value: T): void {
    this.#known.delete(digest);
    this.#known.set(digest, { value, since: this.#clock.now() });
    const [oldest] = this.#known.keys();
    if (this.#known.size > this.#max && oldest !== undefined) this.#known.delete(oldest);
  }

  delete(digest: string): void {
    this.#known.delete(digest);
  }
}
