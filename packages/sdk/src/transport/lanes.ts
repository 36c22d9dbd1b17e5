import { orAborted, throwIfAborted } from './aborted.ts';

/** Lets so many run at a time, the others in the order in which they came. */
export interface Lanes {
  run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
}

export function createLanes(width: number): Lanes {
  const waiting = new Set<() => void>();
  let free = width;

  async function enter(signal: AbortSignal | undefined): Promise<void> {
    throwIfAborted(signal);
    if (free > 0) {
      free -= 1;
      return;
    }
    await orAborted<void>(signal, (resolve) => {
      waiting.add(resolve);
      return () => waiting.delete(resolve);
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
