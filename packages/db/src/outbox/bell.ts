import { setTimeout as pause } from 'node:timers/promises';

export interface Bell {
  ring(): void;
  /** Resolves when it rings, at once if it rang since the last wait, and after `milliseconds` in any case. */
  wait(milliseconds: number, signal: AbortSignal): Promise<void>;
}

/** Wakes one loop; rings that come while it works are kept as one. */
export function createBell(): Bell {
  let rung = false;
  let wake: () => void = () => {};
  return {
    ring() {
      rung = true;
      wake();
    },
    async wait(milliseconds, signal) {
      if (!rung && !signal.aborted) {
        const awake = new AbortController();
        wake = () => awake.abort();
        await pause(milliseconds, undefined, { signal: AbortSignal.any([signal, awake.signal]) }).catch(
          () => {},
        );
      }
      rung = false;
    },
  };
}
