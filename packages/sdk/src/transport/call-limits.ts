import { throwIfAborted, waitOrAbort } from './waiting.ts';

/** Runs at most this many calls at a time. The others wait in order. */
export function limitConcurrency(max: number) {
  const waiting = new Set<() => void>();
  let free = max;

  return async <T>(call: () => Promise<T>, signal?: AbortSignal): Promise<T> => {
    throwIfAborted(signal);
    if (free > 0) free -= 1;
    else
      await waitOrAbort<void>(signal, (resolve) => {
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

/** The rate limit, as the relay reports it with each answer: `"api";r=12;t=34`. */
export interface Budget {
  read(headers: Headers): void;
  /** Milliseconds to wait before a polling call. The rest of the limit is reserved for calls that users wait for. */
  readonly waitMs: number;
}

/** The share of the limit that polling leaves to other calls. */
const reservedShare = 0.4;

export function createBudget(): Budget {
  let left = 1;
  let limit = 0;
  let until = 0;
  return {
    read(headers) {
      const [, rest, seconds] = /r=(\d+);t=(\d+)/.exec(headers.get('ratelimit') ?? '') ?? [];
      if (rest === undefined) return;
      left = Number(rest);
      limit = Number(/q=(\d+)/.exec(headers.get('ratelimit-policy') ?? '')?.[1] ?? 0);
      until = performance.now() + Number(seconds) * 1_000;
    },
    get waitMs() {
      return left > limit * reservedShare ? 0 : Math.max(0, until - performance.now());
    },
  };
}
