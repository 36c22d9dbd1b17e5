/** The result of a number of calls, as seen by the process that made them. */
export interface TimedRun {
  readonly seconds: number;
  /** CPU time of the process that made the calls, in seconds. */
  readonly cpuSeconds: number;
  /** How many calls ended with each outcome: a status, or `done`. */
  readonly outcomes: Readonly<Record<string, number>>;
}

/** Runs the workers at the same time, and measures until all have finished. `outcomes` may be filled by them. */
export async function timeRun(
  workers: readonly (() => Promise<void>)[],
  outcomes: TimedRun['outcomes'],
): Promise<TimedRun> {
  const began = performance.now();
  const { user, system } = process.cpuUsage();
  await Promise.all(workers.map((work) => work()));
  const used = process.cpuUsage({ user, system });
  return {
    seconds: (performance.now() - began) / 1000,
    cpuSeconds: (used.user + used.system) / 1e6,
    outcomes,
  };
}

/** A command that makes the same call `count` times, `concurrency` at a time. */
export function repeat(
  call: () => Promise<unknown>,
): (plan: { count: number; concurrency: number }) => Promise<TimedRun> {
  return ({ count, concurrency }) => {
    let started = 0;
    const worker = async () => {
      while (started++ < count) await call();
    };
    return timeRun(Array(concurrency).fill(worker), { done: count });
  };
}
