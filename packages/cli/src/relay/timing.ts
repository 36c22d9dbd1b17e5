/**
 * How long commands repeat a call: a little longer than the minute that a rate limit asks for. Tests replace this module
 * where they would otherwise wait for many repetitions.
 */
export const timing = { patience: 75_000 } as const;
