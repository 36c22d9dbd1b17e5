import { setTimeout as pause } from 'node:timers/promises';

/** Time as the plan counts it: in milliseconds from the moment that the load began. */
export interface Timeline {
  readonly now: number;
  /** Waits for a moment; one that is past is there already. */
  until(moment: number): Promise<void>;
}

export function startTimeline(): Timeline {
  const start = performance.now();
  const now = () => performance.now() - start;
  return {
    get now() {
      return now();
    },
    async until(moment) {
      await pause(Math.max(0, moment - now()));
    },
  };
}
