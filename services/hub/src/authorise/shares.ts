import type { Clock } from '@expert-relay/kit/clock';
import { createWindowCounter, KeyedCounter, type WindowCounter } from '@expert-relay/kit/http';
import type { Credential } from './stream-token.ts';

/** How much of something one holder may have: at the same time, or in a minute. */
export interface Share {
  readonly kind: 'address' | 'credential' | 'user' | 'all';
  readonly holder: string;
  readonly limit: number;
}

/** The share of a client by its network. A limit of 0 is no limit. */
export const sharesByNetwork = (network: string, perAddress: number): readonly Share[] =>
  perAddress > 0 ? [{ kind: 'address', holder: network, limit: perAddress }] : [];

/** The shares by a credential, and by its user with all of the user's keys and sessions. A limit of 0 is no limit. */
export function sharesByCredential(
  { id, userId }: Pick<Credential, 'id' | 'userId'>,
  { perCredential, perUser }: { readonly perCredential: number; readonly perUser: number },
): readonly Share[] {
  const shares: Share[] = [
    { kind: 'credential', holder: id, limit: perCredential },
    { kind: 'user', holder: userShare(userId), limit: perUser },
  ];
  return shares.filter(({ limit }) => limit > 0);
}

export const userShare = (userId: string): string => `user:${userId}`;

/** Counts what holders have at the same time. */
export class ShareCounts {
  readonly #counter = new KeyedCounter();

  /** The share that one more would exceed. */
  full(shares: readonly Share[]): Share | undefined {
    return shares.find(({ holder, limit }) => this.#counter.of(holder) >= limit);
  }

  add(shares: readonly Share[]): void {
    for (const { holder } of shares) this.#counter.add(holder, 1);
  }

  remove(shares: readonly Share[]): void {
    for (const { holder } of shares) this.#counter.add(holder, -1);
  }
}

/** Counts what holders do in a minute, which begins with the first thing that they do. */
export class MinuteCounts {
  readonly #count: WindowCounter;

  constructor(clock: Clock) {
    // The holders have different limits, so the counter has none.
    this.#count = createWindowCounter({ limit: 0, clock });
  }

  of({ holder }: Share): number {
    return -this.#count(holder, 0).left;
  }

  add({ holder }: Share): void {
    this.#count(holder);
  }
}
