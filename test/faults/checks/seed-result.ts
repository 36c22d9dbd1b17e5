import type { Plan } from '../plan/make-plan.ts';
import type { EndsResult } from './check-ends.ts';

/** The result of a seed. */
export interface SeedResult {
  readonly seed: number;
  readonly faults: readonly string[];
  /** Summed over all resuming readers. */
  readonly expected: number;
  readonly delivered: number;
  readonly lost: number;
  readonly duplicated: number;
  readonly outOfOrder: number;
  readonly resets: number;
  readonly ends: EndsResult;
  readonly seconds: number;
  /** Observations that are no failures. */
  readonly remarks: readonly string[];
  /** Promises that did not hold; empty if the seed passed. */
  readonly failures: readonly string[];
}

/** The result of a seed that could not run to its end: a failure. */
export function abortedResult({ seed, faults }: Plan, { message }: Error): SeedResult {
  return {
    seed,
    faults: faults.map(({ title }) => title),
    expected: 0,
    delivered: 0,
    lost: 0,
    duplicated: 0,
    outOfOrder: 0,
    resets: 0,
    ends: { requests: 0, expired: 0, early: 0, duplicated: 0, missing: 0, latest: 0 },
    seconds: 0,
    remarks: [],
    failures: [`aborted: ${message}`],
  };
}
