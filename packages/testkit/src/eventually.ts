import { setTimeout as pause } from 'node:timers/promises';

/**
 * Waits until a check returns something truthy, and returns that. The limit is for what never happens: on a busy
 * machine everything takes long. The error names what was awaited.
 */
export async function eventually<T>(
  what: string,
  check: () => T | Promise<T>,
  options: { within?: number } = {},
): Promise<NonNullable<T>> {
  const { within = 60_000 } = options;
  const until = performance.now() + within;
  for (let wait = 2; ; wait = Math.min(wait * 2, 50)) {
    const value = await check();
    if (value) return value;
    if (performance.now() > until) throw new Error(`Waited ${within} ms in vain: ${what}.`);
    await pause(wait);
  }
}
