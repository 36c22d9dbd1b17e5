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

/** The share of the limit that polling leaves to other calls. */
const reservedShare = 0.4;

/** The rate limit, as the relay reports it with each response: `"api";r=12;t=34`. */
export class Budget {
  #left = 1;
  #limit = 0;
  #until = 0;

  read(headers: Headers): void {
    const [, left, seconds] = /r=(\d+);t=(\d+)/.exec(headers.get('ratelimit') ?? '') ?? [];
    if (left === undefined) return;
    this.#left = Number(left);
    this.#limit = Number(/q=(\d+)/.exec(headers.get('ratelimit-policy') ?? '')?.[1] ?? 0);
    this.#until = performance.now() + Number(seconds) * 1_000;
  }

  /** Milliseconds to wait before a polling call. The rest of the limit is reserved for calls that users wait for. */
  get waitMs(): number {
    return this.#left > this.#limit * reservedShare ? 0 : Math.max(0, this.#until - performance.now());
  }
}
