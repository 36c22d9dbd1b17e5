import type { Plan } from '../plan/make-plan.ts';
import type { Verdict } from './verdict.ts';

/** A seed that could not be played to its end is a failed one, too. */
export function brokenOff({ seed, faults }: Plan, { message }: Error): Verdict {
  return {
    seed,
    faults: faults.map(({ title }) => title),
    expected: 0,
    delivered: 0,
    lost: 0,
    doubled: 0,
    disordered: 0,
    resets: 0,
    ends: { requests: 0, expired: 0, early: 0, doubled: 0, missing: 0, latest: 0 },
    seconds: 0,
    remarks: [],
    failures: [`it broke off: ${message}`],
  };
}
