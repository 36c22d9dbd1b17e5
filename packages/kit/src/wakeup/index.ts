/** Lets one loop wait for something to do. Wakeups that arrive while it works count as one. */
export interface Wakeup {
  wake(): void;
  /** Resolves at the next wakeup, at once if one came since the last wait, and after `timeoutMs` or an abort in any case. */
  wait(timeoutMs: number, signal: AbortSignal): Promise<void>;
}

/** It uses no `AbortController`: aborting one makes an error with a stack trace, which costs as much as a publish. */
export function createWakeup(): Wakeup {
  let isPending = false;
  let resolveWait: () => void = () => {};
  return {
    wake() {
      isPending = true;
      resolveWait();
    },
    async wait(timeoutMs, signal) {
      if (!isPending && !signal.aborted) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, timeoutMs);
          resolveWait = () => {
            clearTimeout(timer);
            resolve();
          };
          signal.addEventListener('abort', resolveWait, { once: true });
        });
        signal.removeEventListener('abort', resolveWait);
      }
      isPending = false;
    },
  };
}
