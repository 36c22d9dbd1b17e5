import { RelayError } from '../relay-error.ts';

export const abortedError = (signal: AbortSignal): RelayError =>
  new RelayError('aborted', 'Aborted by its signal.', { cause: signal.reason });

export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw abortedError(signal);
}

/** Calls back when the signal aborts, at once if it is aborted. Returns a function that stops listening. */
export function onAbort(signal: AbortSignal | undefined, callBack: () => void): () => void {
  if (signal?.aborted) callBack();
  else signal?.addEventListener('abort', callBack);
  return () => signal?.removeEventListener('abort', callBack);
}

/** Starts something and waits for it, until the signal aborts. `start` returns a function that cancels it. */
export async function waitOrAbort<T>(
  signal: AbortSignal | undefined,
  start: (resolve: (value: T) => void, reject: (error: unknown) => void) => () => void,
): Promise<T> {
  let release = () => {};
  try {
    return await new Promise<T>((resolve, reject) => {
      const cancel = start(resolve, reject);
      const unlisten = onAbort(signal, () => {
        // Before the rejection is seen: a message that arrives now must go to another taker.
        cancel();
        reject(abortedError(signal as AbortSignal));
      });
      release = () => {
        unlisten();
        cancel();
      };
    });
  } finally {
    release();
  }
}

/** Waits for something that goes on after an abort. */
export const orAbort = <T>(signal: AbortSignal | undefined, going: Promise<T>): Promise<T> =>
  waitOrAbort(signal, (resolve, reject) => {
    going.then(resolve, reject);
    return () => {};
  });

/** Waits. Unlike `startTimer`, this keeps a Node process alive. */
export async function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  throwIfAborted(signal);
  if (milliseconds <= 0) return;
  await waitOrAbort<void>(signal, (resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    return () => clearTimeout(timer);
  });
}

/** A timer with a longer delay would fire at once. */
const maxDelayMs = 2 ** 31 - 1;

/** Calls back once after a delay. It does not keep a Node process alive. Returns a function that cancels it. */
export function startTimer(milliseconds: number, callBack: () => void): () => void {
  const timer: unknown = setTimeout(callBack, Math.min(milliseconds, maxDelayMs));
  // Only Node's timers have this method.
  (timer as { unref?: () => void }).unref?.();
  return () => clearTimeout(timer as number);
}

/**
 * Runs something with a signal that aborts after a time or with another signal. Not by `AbortSignal.any`: Node 20.20 never
 * aborts it for an `AbortSignal.timeout` that nothing else refers to, and never frees what it attaches to a long-lived signal.
 */
export async function withTimeout<T>(
  milliseconds: number,
  signal: AbortSignal | undefined,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const own = new AbortController();
  const stopTimer = startTimer(milliseconds, () =>
    own.abort(new DOMException(`No answer in ${milliseconds} ms`, 'TimeoutError')),
  );
  const release = onAbort(signal, () => own.abort(signal?.reason));
  try {
    return await run(own.signal);
  } finally {
    stopTimer();
    release();
  }
}

/** @throws RelayError `timeout` when the time has ended it */
export async function inTime<T>(
  milliseconds: number | undefined,
  signal: AbortSignal | undefined,
  run: (signal: AbortSignal | undefined) => Promise<T>,
): Promise<T> {
  if (milliseconds === undefined) return await run(signal);
  return await withTimeout(milliseconds, signal, (own) =>
    run(own).catch((error: unknown) => {
      if (!own.aborted || signal?.aborted) throw error;
      throw new RelayError('timeout', `No answer came within ${milliseconds / 1_000} s: wait or ask again.`);
    }),
  );
}
