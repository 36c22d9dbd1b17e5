/** Delays before the next retries, in milliseconds. */
const delays = [2_000, 4_000, 8_000, 15_000, 30_000];

export const retryDelay = (failures: number): number =>
  delays[Math.min(failures, delays.length - 1)] ?? 30_000;

/** Runs `work` after a delay, which grows until `work` succeeds, and at once when the network is back: never twice at the same time. */
export function createRetry(work: () => Promise<void>): { later(): void; cancel(): void } {
  let failures = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isRunning = false;
  /** Whether another retry was asked for while one is running. */
  let isWanted = false;

  function cancel(): void {
    clearTimeout(timer);
    globalThis.removeEventListener?.('online', run);
    timer = undefined;
    isWanted = false;
  }

  async function run(): Promise<void> {
    cancel();
    isRunning = true;
    // The caller asks for the next retry.
    const hasFailed = await work().then(
      () => false,
      () => true,
    );
    isRunning = false;
    if (!hasFailed && !isWanted) failures = 0;
    if (isWanted) later();
  }

  function later(): void {
    isWanted = isRunning;
    if (timer !== undefined || isRunning) return;
    timer = setTimeout(run, retryDelay(failures));
    failures += 1;
    globalThis.addEventListener?.('online', run);
  }

  return { cancel, later };
}

/** `wait` resolves after this many milliseconds (never without a number), when the signal aborts, or by `wake`. */
export function createPause() {
  let wake = () => {};
  return {
    wake: () => wake(),
    wait(delayMs: number | undefined, signal: AbortSignal): Promise<void> {
      return new Promise((resolve) => {
        const finish = () => {
          clearTimeout(timer);
          signal.removeEventListener('abort', finish);
          resolve();
        };
        const timer = delayMs === undefined ? undefined : setTimeout(finish, delayMs);
        signal.addEventListener('abort', finish);
        wake = finish;
        if (signal.aborted) finish();
      });
    },
  };
}
