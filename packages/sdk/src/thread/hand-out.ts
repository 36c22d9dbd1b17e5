/** An iterator that follows from its first step on, and ends when it is left. */
export function handOut<T>(
  follow: () => () => void,
  take: (signal: AbortSignal) => Promise<T | undefined>,
): AsyncIterableIterator<T> {
  const left = new AbortController();
  let release: (() => void) | undefined;
  let isDone = false;

  function finish(): { done: true; value: undefined } {
    isDone = true;
    release?.();
    return { done: true, value: undefined };
  }

  return {
    async next() {
      if (isDone) return finish();
      release ??= follow();
      try {
        const value = await take(left.signal);
        return value === undefined ? finish() : { done: false, value };
      } catch (error) {
        const end = finish();
        if (left.signal.aborted) return end;
        throw error;
      }
    },
    async return() {
      const end = finish();
      left.abort();
      return end;
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
