import type { Clock } from '@expert-relay/kit/clock';
import { createWindowCounter, KeyedCounter, type WindowCounter } from '@expert-relay/kit/http';
import type { Credential } from './stream-token.ts';

/** How much of something one holder may have: at the same time, or in a minute. */
export interface Limit {
  readonly kind: 'address' | 'credential' | 'user' | 'all';
  readonly holder: string;
  readonly max: number;
}

/** The limit of a client by its network; 0 = no limit. */
export const limitsOfNetwork = (network: string, perAddress: number): readonly Limit[] =>
  perAddress > 0 ? [{ kind: 'address', holder: network, max: perAddress }] : [];

/** The limits by a credential, and by its user with all of the user's keys and sessions; 0 = no limit. */
export function limitsOfCredential(
  { id, userId }: Pick<Credential, 'id' | 'userId'>,
  { perCredential, perUser }: { readonly perCredential: number; readonly perUser: number },
): readonly Limit[] {
  const limits: Limit[] = [
    { kind: 'credential', holder: id, max: perCredential },
    { kind: 'user', holder: userHolder(userId), max: perUser },
  ];
  return limits.filter(({ max }) => max > 0);
}

export const userHolder = (userId: string): string => `user:${userId}`;

/** Counts what holders have at the same time. */
export class CurrentCounts {
  readonly #counter = new KeyedCounter();

  /** The limit that one more would exceed. */
  reached(limits: readonly Limit[]): Limit | undefined {
    return limits.find(({ holder, max }) => this.#counter.of(holder) >= max);
  }

  add(limits: readonly Limit[]): void {
    for (const { holder } of limits) this.#counter.add(holder, 1);
  }

  remove(limits: readonly Limit[]): void {
    for (const { holder } of limits) this.#counter.add(holder, -1);
  }
}

/** Counts what holders do in a minute, which begins with the first thing that they do. */
export class MinuteCounts {
  readonly #count: WindowCounter;

  constructor(clock: Clock) {
    // The holders have different limits, so the counter has none.
    this.#count = createWindowCounter({ limit: 0, clock });
  }

  of({ holder }: Limit): number {
    return -this.#count(holder, 0).left;
  }

  add({ holder }: Limit): void {
    this.#count(holder);
  }
}
