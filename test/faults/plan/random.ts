/** Reproducible random numbers: the same seed gives the same numbers in the same order. */
export interface Random {
  /** At least 0, below 1. */
  next(): number;
  /** Both ends included. */
  integer(from: number, to: number): number;
  chance(probability: number): boolean;
  pick<T>(choices: readonly T[]): T;
  uuid(): string;
  /** An independent generator, so that the numbers of one user do not depend on how many the others draw. */
  fork(): Random;
}

/** Mulberry32: small, and good enough to choose faults. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;

  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  const integer = (from: number, to: number) => from + Math.floor(next() * (to - from + 1));
  const hex = (digits: number) => Array.from({ length: digits }, () => integer(0, 15).toString(16)).join('');

  return {
    next,
    integer,
    chance: (probability) => next() < probability,
    pick: (choices) => choices[integer(0, choices.length - 1)] as (typeof choices)[number],
    uuid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-8${hex(3)}-${hex(12)}`,
    fork: () => createRandom(integer(0, 2 ** 32 - 1)),
  };
}
