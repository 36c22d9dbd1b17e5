import { type Clock, systemClock } from '../clock/index.ts';
import type { Log } from '../log/index.ts';
import { Counter, type Metrics } from '../metrics/index.ts';
import { Problem } from '../problem/index.ts';
import { digestOf } from './principal.ts';
import type { PrincipalVerifier, Refusal, VerifiedCall } from './principal-verifier.ts';

export interface GuardedCall extends VerifiedCall {
  /** Throws a `Problem` if the principal is for a call with another body. A call without a body has one of no bytes. */
  checkBody(body: Buffer): void;
}

/** Returns the content of a valid principal. Throws a `Problem` for any other header. */
export type PrincipalGuard = (...call: Parameters<PrincipalVerifier>) => GuardedCall;

/** Only one line for each caller and reason is logged in this time, so that many invalid principals do not fill the logs. */
const logIntervalMs = 10_000;

const compareKeys = 'Compare the RELAY_PRINCIPAL_KEY_... that the two services share.';
const compareReleases = 'Check that the two services are of adjacent releases.';

const nextSteps: Record<Refusal['reason'], string> = {
  missing: '',
  malformed: 'Check who can reach the port of this service.',
  unknown_caller: 'Check who can reach the port of this service.',
  unknown_key: compareKeys,
  wrong_mac: compareKeys,
  expired: 'It was issued in the future: compare the clocks of the two machines.',
  wrong_audience: "Check the caller's addresses of the other services.",
  wrong_method: 'Check that nothing between the two services changes calls.',
  wrong_path: 'Check that nothing between the two services changes calls.',
  wrong_body: 'Check that nothing between the two services changes calls.',
  repeated: 'It was accepted before: check that nothing between the two services repeats calls.',
  wrong_kind: compareReleases,
};

/** The age of a principal also grows while its call waits for a free connection, or for this process to read it. */
const waitedTooLong =
  'The call waited for longer than its principal is valid: check the load of the two services. If they are idle, compare their clocks.';

/** A proxy between the services may have repeated it, and then the first one may have taken effect. */
const arrivedTwice = 'The same call arrived twice: it is not known whether it took effect.';

const nextStepOf = ({ reason, ageMs = 0 }: Refusal): string =>
  reason === 'expired' && ageMs > 0 ? waitedTooLong : nextSteps[reason];

/**
 * A principal that is not valid is a fault between two services. It is not a fault of the client, whose own credential was
 * accepted before. So it is logged, counted, and gets 502. A call without a principal did not come from a
 * service, and gets 401.
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
  /** The last line of each caller and reason, and the number of refusals that were not logged since then. */
  const lastLines = new Map<string, { at: number; unlogged: number }>();

  function report(refusal: Refusal): void {
    const name = `${refusal.caller} ${refusal.reason}`;
    const now = clock.now();
    const last = lastLines.get(name);
    if (last && Math.abs(now - last.at) < logIntervalMs) {
      last.unlogged++;
      return;
    }
    lastLines.set(name, { at: now, unlogged: 0 });
    log.error(
      { ...refusal, unloggedBefore: last?.unlogged ?? 0 },
      `a call was refused because its principal is not valid. ${nextStepOf(refusal)}`,
    );
  }

  function refuse(refusal: Refusal): never {
    refusals.inc({ reason: refusal.reason });
    if (refusal.reason === 'missing') throw new Problem('unauthorized');
    report(refusal);
    const headers = { 'retry-after': '5' };
    if (refusal.reason === 'repeated') throw new Problem('bad_gateway', { detail: arrivedTwice, headers });
    throw new Problem('principal_refused', { headers });
  }

  return (header, call) => {
    const { verified, refused } = verify(header, call);
    if (refused) return refuse(refused);
    const { caller, bodyDigest, ...verifiedCall } = verified;
    return {
      ...verifiedCall,
      checkBody(body) {
        if (!digestOf(body).equals(bodyDigest)) refuse({ reason: 'wrong_body', caller });
      },
    };
  };
}
