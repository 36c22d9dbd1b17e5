/** How a number of calls went, as seen by the process that made them. */
export interface Span {
  readonly seconds: number;
  /** CPU time of the process that made them, in seconds. */
  readonly cpuSeconds: number;
  /** How many calls ended with each outcome: a status, or `done`. */
  readonly outcomes: Readonly<Record<string, number>>;
}

/** Does `count` calls in as many lanes as there are `lanes`, and takes the time. */
export async function timeSpan(
  lanes: readonly (() => Promise<void>)[],
  outcomes: Span['outcomes'],
): Promise<Span> {
  const began = performance.now();
  const { user, system } = process.cpuUsage();
  await Promise.all(lanes.map((lane) => lane()));
  const used = process.cpuUsage({ user, system });
  return {
    seconds: (performance.now() - began) / 1000,
    cpuSeconds: (used.user + used.system) / 1e6,
    outcomes,
  };
}
