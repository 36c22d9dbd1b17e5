import { onAbort } from './aborted.ts';
import { startTimer } from './timer.ts';

/**
 * Runs something under a signal that aborts after a time, or with another signal. By hand: what
 * `AbortSignal.any` ties to a signal that lives long, some versions of Node never let go.
 */
export async function within<T>(
  milliseconds: number,
  signal: AbortSignal | undefined,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const own = new AbortController();
  const stopTimer = startTimer(milliseconds, () =>
    own.abort(new Error(`No answer within ${milliseconds} ms.`)),
  );
  const release = onAbort(signal, () => own.abort(signal?.reason));
  try {
    return await run(own.signal);
  } finally {
    stopTimer();
    release();
  }
}
