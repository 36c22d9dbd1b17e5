import { abortedError, onAbort, throwIfAborted } from './aborted.ts';

/** Waits, for somebody who waits for it in turn: unlike an idle timer, it keeps a process alive. */
export async function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  throwIfAborted(signal);
  if (milliseconds <= 0) return;
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      release();
      resolve();
    }, milliseconds);
    const release = onAbort(signal, () => {
      clearTimeout(timer);
      reject(abortedError(signal as AbortSignal));
    });
  });
}
