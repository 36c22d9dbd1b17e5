import { orAborted, throwIfAborted } from './aborted.ts';

/** Waits, for somebody who waits for it in turn: unlike an idle timer, it keeps a process alive. */
export async function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  throwIfAborted(signal);
  if (milliseconds <= 0) return;
  await orAborted<void>(signal, (resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    return () => clearTimeout(timer);
  });
}
