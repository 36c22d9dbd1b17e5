/**
 * How long commands wait for one call, and how long they repeat it: a little longer than the minute that a rate limit asks
 * for. Tests replace this module where they would otherwise wait for many repetitions.
 */
export const timing = { callMs: 30_000, patienceMs: 75_000 } as const;

/** How long a look at an address may take, in milliseconds; the first one, before a command, is shorter. */
export const looking = { timeoutMs: 10_000, firstMs: 5_000 } as const;
