export interface Bell {
  ring(): void;
  /** Resolves when it rings, at once if it rang since the last wait, and after `milliseconds` in any case. */
  wait(milliseconds: number, signal: AbortSignal): Promise<void>;
}

/**
 * Wakes one loop; rings that come while it works are kept as one. Without an `AbortController` for each wait:
 * aborting it makes an error with its stack, which took as long as a publish.
 */
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
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, milliseconds);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
          signal.addEventListener('abort', wake, { once: true });
        });
        signal.removeEventListener('abort', wake);
      }
      rung = false;
    },
  };
}
