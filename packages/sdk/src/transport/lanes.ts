import { orAborted, throwIfAborted } from './aborted.ts';

/** Lets so many calls run at a time, the others in the order in which they came. */
export function createLanes(width: number) {
  const waiting = new Set<() => void>();
  let free = width;

  return async <T>(call: () => Promise<T>, signal?: AbortSignal): Promise<T> => {
    throwIfAborted(signal);
    if (free > 0) free -= 1;
    else
      await orAborted<void>(signal, (resolve) => {
        waiting.add(resolve);
        return () => waiting.delete(resolve);
      });
    try {
      return await call();
    } finally {
      const [next] = waiting;
      if (next) {
        waiting.delete(next);
        next();
      } else free += 1;
    }
  };
}
