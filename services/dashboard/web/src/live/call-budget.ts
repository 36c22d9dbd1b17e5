/** How many calls the tabs of this browser may make in the background, all together. */
export interface CallBudget {
  /**
   * Takes one call if more than `reserve` are left. Resolves with 0 if it was taken, else with the milliseconds after
   * which it may be.
   */
  take(reserve: number): Promise<number>;
}

export interface BudgetOptions {
  /** The calls that are left after a pause. */
  readonly burst: number;
  /** One more call is left after this time. */
  readonly spacingMs: number;
}

/** What was left at a time. */
interface Left {
  readonly calls: number;
  readonly at: number;
}

/** Takes one call of a budget. Undefined: none was ever taken. */
export function takeCall(
  before: Left | undefined,
  { burst, spacingMs, reserve, now }: BudgetOptions & { readonly reserve: number; readonly now: number },
): { readonly left: Left; readonly waitMs: number } {
  // A clock that was set back must not stop the calls.
  const earned = before ? Math.max(0, now - before.at) / spacingMs : burst;
  const calls = Math.min(burst, (before?.calls ?? 0) + earned);
  const missing = reserve + 1 - calls;
  return missing > 0
    ? { left: { calls, at: now }, waitMs: Math.ceil(missing * spacingMs) }
    : { left: { calls: calls - 1, at: now }, waitMs: 0 };
}

const name = 'expert-relay:calls';

/** One budget for all tabs of this browser. In a browser without storage, each tab has its own. */
export function createCallBudget(options: BudgetOptions): CallBudget {
  let own: Left | undefined;

  function takeOne(reserve: number): number {
    const { left, waitMs } = takeCall(read(), { ...options, reserve, now: Date.now() });
    own = left;
    try {
      localStorage.setItem(name, JSON.stringify(left));
    } catch {
      // This tab counts its own calls.
    }
    return waitMs;
  }

  function read(): Left | undefined {
    try {
      return JSON.parse(localStorage.getItem(name) ?? 'null') ?? undefined;
    } catch {
      return own;
    }
  }

  return {
    take: (reserve) => navigator.locks.request(name, () => takeOne(reserve)),
  };
}
