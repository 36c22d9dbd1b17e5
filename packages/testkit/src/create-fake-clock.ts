import type { Clock } from '@expert-relay/kit/clock';

export interface FakeClock extends Clock {
  /** Moves the time forward, or back with a negative number. */
  advance(milliseconds: number): void;
  /** Sets the time, in milliseconds since 1970. */
  set(now: number): void;
}

/** A clock that moves only when a test advances it. It starts with the real time. */
export function createFakeClock(start = Date.now()): FakeClock {
  let now = start;
  return {
    now: () => now,
    advance(milliseconds) {
      now += milliseconds;
    },
    set(to) {
      now = to;
    },
  };
}
