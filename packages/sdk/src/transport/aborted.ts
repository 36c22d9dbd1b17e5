import { RelayError } from '../relay-error.ts';

export const abortedError = (signal: AbortSignal): RelayError =>
  new RelayError('aborted', 'This was called off by its AbortSignal.', { cause: signal.reason });

export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw abortedError(signal);
}

/** Calls back when the signal aborts, at once if it has. Gives what takes that back. */
export function onAbort(signal: AbortSignal | undefined, callBack: () => void): () => void {
  if (!signal) return () => {};
  if (signal.aborted) callBack();
  else signal.addEventListener('abort', callBack, { once: true });
  return () => signal.removeEventListener('abort', callBack);
}

/** Waits for a promise, but no longer than until the signal aborts. What was begun goes on by itself. */
export function orAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    const release = onAbort(signal, () => reject(abortedError(signal)));
    promise.then(resolve, reject).finally(release);
  });
}
