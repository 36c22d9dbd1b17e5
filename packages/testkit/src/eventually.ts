import { setTimeout as pause } from 'node:timers/promises';

/**
 * Waits until a check gives something truthy, and gives that; for what comes about by itself, such as an
 * event's way through the services. Fails with `what` was awaited.
 */
export async function eventually<T>(
  what: string,
  check: () => T | Promise<T>,
  options: { within?: number } = {},
): Promise<NonNullable<T>> {
  const { within = 5_000 } = options;
  const until = performance.now() + within;
  for (let wait = 2; ; wait = Math.min(wait * 2, 50)) {
    const value = await check();
    if (value) return value;
    if (performance.now() > until) throw new Error(`Waited ${within} ms in vain: ${what}.`);
    await pause(wait);
  }
}
