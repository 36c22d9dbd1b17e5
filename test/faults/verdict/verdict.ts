import type { EndsVerdict } from './judge-ends.ts';

/** What a seed came to. */
export interface Verdict {
  readonly seed: number;
  readonly faults: readonly string[];
  /** Summed over all resuming readers. */
  readonly expected: number;
  readonly delivered: number;
  readonly lost: number;
  readonly doubled: number;
  readonly disordered: number;
  readonly resets: number;
  readonly ends: EndsVerdict;
  readonly seconds: number;
  /** What is worth knowing and no failure. */
  readonly remarks: readonly string[];
  /** What was promised and did not hold; none when all is well. */
  readonly failures: readonly string[];
}
