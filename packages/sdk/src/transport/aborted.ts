import { RelayError } from '../relay-error.ts';

export const abortedError = (signal: AbortSignal): RelayError =>
  new RelayError('aborted', 'Aborted by its signal.', { cause: signal.reason });

export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw abortedError(signal);
}

/** Calls back when the signal aborts, at once if it has. Gives what takes that back. */
export function onAbort(signal: AbortSignal | undefined, callBack: () => void): () => void {
  if (signal?.aborted) callBack();
  else signal?.addEventListener('abort', callBack);
  return () => signal?.removeEventListener('abort', callBack);
}

/** Waits for what `begin` begins, but no longer than until the signal aborts. It gives what takes that back. */
export async function orAborted<T>(
  signal: AbortSignal | undefined,
  begin: (resolve: (value: T) => void, reject: (error: unknown) => void) => () => void,
): Promise<T> {
  let release = () => {};
  try {
    return await new Promise<T>((resolve, reject) => {
      const takeBack = begin(resolve, reject);
      const unlisten = onAbort(signal, () => {
        // At once: what comes in the same moment is for somebody else.
        takeBack();
        reject(abortedError(signal as AbortSignal));
      });
      release = () => {
        unlisten();
        takeBack();
      };
    });
  } finally {
    release();
  }
}
