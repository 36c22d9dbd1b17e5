import { type Clock, systemClock } from '../clock/index.ts';
import type { Log } from '../log/index.ts';
import { Counter, type Metrics } from '../metrics/index.ts';
import { Problem } from '../problem/index.ts';
import type { PrincipalVerifier, Refusal, StatedCall } from './principal-verifier.ts';

/** Gives what a valid principal states about a call. Throws for any other header. */
export type PrincipalGuard = (...call: Parameters<PrincipalVerifier>) => StatedCall;

/** Many invalid principals must not fill the logs: one line for each reason in this time. */
const logIntervalMs = 10_000;

const sameKeys = 'Compare the RELAY_PRINCIPAL_KEY_... that the two services share.';
const sameRelease = 'Check that the two services are of adjacent releases.';

const nextSteps: Record<Refusal['reason'], string> = {
  missing: '',
  malformed: 'Check who can reach the port of this service.',
  unknown_caller: 'Check who can reach the port of this service.',
  unknown_key: sameKeys,
  wrong_mac: sameKeys,
  expired: 'Compare the clocks of the two machines.',
  wrong_audience: "Check the caller's addresses of the other services.",
  wrong_method: 'Check that nothing between the two services changes calls.',
  wrong_path: 'Check that nothing between the two services changes calls.',
  wrong_kind: sameRelease,
};

/**
 * A principal that is not valid is a fault between two services, never one of the client, whose own credential
 * was accepted before: it is logged, counted and answered 502. A call without any principal did not come
 * from a service: 401.
 */
export function createPrincipalGuard(options: {
  verify: PrincipalVerifier;
  log: Log;
  metrics: Metrics;
  clock?: Clock;
}): PrincipalGuard {
  const { verify, log, metrics, clock = systemClock } = options;
  const refusals = new Counter({
    name: 'relay_principal_refused_total',
    help: 'Calls refused because their principal was missing or not valid.',
    labelNames: ['reason'],
    registers: [metrics],
  });
  const lines = new Map<Refusal['reason'], { at: number; unlogged: number }>();

  function report(refusal: Refusal): void {
    const { reason } = refusal;
    const now = clock.now();
    const last = lines.get(reason);
    if (last && Math.abs(now - last.at) < logIntervalMs) {
      last.unlogged++;
      return;
    }
    lines.set(reason, { at: now, unlogged: 0 });
    log.error(
      { ...refusal, unloggedBefore: last?.unlogged ?? 0 },
      `a call was refused because its principal is not valid. ${nextSteps[reason]}`,
    );
  }

  return (header, call) => {
    const { stated, refused } = verify(header, call);
    if (stated) return stated;
    refusals.inc({ reason: refused.reason });
    if (refused.reason === 'missing') throw new Problem('unauthorized');
    report(refused);
    throw new Problem('principal_refused', { headers: { 'retry-after': '5' } });
  };
}
