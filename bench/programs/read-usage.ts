/** What a process has used so far, and what it holds. */
export interface Usage {
  /** CPU time of all its threads, in microseconds. */
  readonly cpu: number;
  /** Bytes. */
  readonly rss: number;
  readonly heap: number;
}

/** `settled` collects garbage first. */
export function readUsage(input?: { settled?: boolean }): Usage {
  if (input?.settled) for (let round = 0; round < 3; round++) globalThis.gc?.();
  const { user, system } = process.cpuUsage();
  const { rss, heapUsed } = process.memoryUsage();
  return { cpu: user + system, rss, heap: heapUsed };
}
