import { setTimeout as pause } from 'node:timers/promises';

/** Whether a promise settles in time. One that fails in time still throws; a later failure is nobody's any more. */
export async function within(milliseconds: number, promise: Promise<unknown>): Promise<boolean> {
  const timer = new AbortController();
  const late = pause(milliseconds, false, { signal: timer.signal, ref: false }).catch(() => false);
  try {
    return await Promise.race([promise.then(() => true), late]);
  } finally {
    timer.abort();
    promise.catch(() => {});
  }
}
