/** Timers that are to wait longer fire at once. */
const longest = 2 ** 31 - 1;

/** Calls back once, after a time during which nothing is kept alive for it. Gives what calls it off. */
export function startTimer(milliseconds: number, callBack: () => void): () => void {
  const timer: unknown = setTimeout(callBack, Math.min(milliseconds, longest));
  // Only Node's timers keep a process alive, and only they have this.
  (timer as { unref?: () => void }).unref?.();
  return () => clearTimeout(timer as number);
}
