import { abortedError, onAbort, throwIfAborted } from './aborted.ts';

/** Lets so many run at a time, the others in the order in which they came. */
export interface Lanes {
  run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
}

export function createLanes(width: number): Lanes {
  const waiting = new Set<() => void>();
  let free = width;

  function enter(signal: AbortSignal | undefined): Promise<void> | undefined {
    throwIfAborted(signal);
    if (free > 0) {
      free -= 1;
      return undefined;
    }
    return new Promise((resolve, reject) => {
      const admit = () => {
        release();
        resolve();
      };
      waiting.add(admit);
      const release = onAbort(signal, () => {
        waiting.delete(admit);
        reject(abortedError(signal as AbortSignal));
      });
    });
  }

  function leave(): void {
    const [next] = waiting;
    if (!next) {
      free += 1;
      return;
    }
    waiting.delete(next);
    next();
  }

  return {
    async run(work, signal) {
      await enter(signal);
      try {
        return await work();
      } finally {
        leave();
      }
    },
  };
}
