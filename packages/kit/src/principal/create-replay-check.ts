import type { Clock } from '../clock/index.ts';

/** Whether a principal with this code was seen before, in the time in which it is valid. */
export type ReplayCheck = (mac: Buffer, issuedAtMs: number) => boolean;

/** Principals are forgotten together with the others that were issued in the same period. */
const periodMs = 10_000;

/** Remembers the principals that this process has accepted, until they have expired: about 60 bytes for each. */
export function createReplayCheck(options: { lifetimeMs: number; clock: Clock }): ReplayCheck {
  const { lifetimeMs, clock } = options;
  const seenByPeriod = new Map<number, Set<string>>();

  function forgetExpired(): void {
    const now = clock.now();
    for (const period of seenByPeriod.keys())
      if ((period + 1) * periodMs + lifetimeMs < now) seenByPeriod.delete(period);
  }

  return (mac, issuedAtMs) => {
    const period = Math.floor(issuedAtMs / periodMs);
    let seen = seenByPeriod.get(period);
    if (!seen) {
      forgetExpired();
      seen = new Set();
      seenByPeriod.set(period, seen);
    }
    // Half of the code identifies a principal as surely as a UUID would.
    const id = mac.toString('latin1', 0, 16);
    if (seen.has(id)) return true;
    seen.add(id);
    return false;
  };
}
