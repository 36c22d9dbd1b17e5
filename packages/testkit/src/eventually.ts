import { setTimeout as pause } from 'node:timers/promises';

/**
 * Waits until a check returns a truthy value, and returns that value. The limit is generous, because everything is slow
 * on a busy machine. The error contains `what`.
 */
export async function eventually<T>(
  what: string | (() => string),
  check: () => T | Promise<T>,
  options: { timeoutMs?: number | undefined } = {},
): Promise<NonNullable<T>> {
  const { timeoutMs = 60_000 } = options;
  const until = performance.now() + timeoutMs;
  for (let wait = 2; ; wait = Math.min(wait * 2, 50)) {
    const value = await check();
    if (value) return value;
    if (performance.now() > until) {
      throw new Error(`Not true after ${timeoutMs} ms: ${typeof what === 'string' ? what : what()}.`);
    }
    await pause(wait);
  }
}
