import { setTimeout as pause } from 'node:timers/promises';

/** The time of the plan, in milliseconds since the load began. */
export interface Timeline {
  readonly now: number;
  /** Waits until a time; resolves at once if it has passed. */
  waitUntil(time: number): Promise<void>;
}

export function startTimeline(): Timeline {
  const start = performance.now();
  const now = () => performance.now() - start;
  return {
    get now() {
      return now();
    },
    async waitUntil(time) {
      await pause(Math.max(0, time - now()));
    },
  };
}
