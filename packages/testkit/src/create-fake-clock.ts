import type { Clock } from '@expert-relay/kit/clock';

export interface FakeClock extends Clock {
  /** Moves the time on; a negative number moves it back. */
  advance(milliseconds: number): void;
  /** Sets the time, in milliseconds since 1970. */
  set(now: number): void;
}

/** A clock that moves only when a test advances it. It begins with the real time. */
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
