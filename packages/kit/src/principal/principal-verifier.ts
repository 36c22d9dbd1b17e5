import { timingSafeEqual } from 'node:crypto';
import { fromBinary } from '@bufbuild/protobuf';
import type { Clock } from '../clock/index.ts';
import type { KeysWithIds } from '../config/index.ts';
import { SignedPrincipalSchema } from '../generated/relay/principal/v1/principal_pb.ts';
import { createReplayCheck } from './create-replay-check.ts';
import { fromWire, macOf, type Principal, type PrincipalKind } from './principal.ts';

/** What a valid header contains about a call. */
export interface VerifiedCall {
  principal: Principal;
  callId: string;
}

/** A call whose body is still to be compared, since the header arrives before it. */
export interface VerifiedHead extends VerifiedCall {
  /** The service that calls. */
  caller: string;
  /** SHA-256 of the body; of no bytes when the call has none. */
  bodyDigest: Uint8Array;
}

/** Why a header is not valid for a call. It contains no text of the header. */
export interface Refusal {
  reason:
    | 'missing'
    | 'malformed'
    | 'unknown_caller'
    | 'unknown_key'
    | 'wrong_mac'
    | 'expired'
    | 'wrong_audience'
    | 'wrong_method'
    | 'wrong_path'
    | 'wrong_body'
    | 'repeated'
    | 'wrong_kind';
  /** One of the callers that this service knows. */
  caller?: string;
  /** For `expired`: milliseconds since it was issued; negative when the caller's clock is ahead. */
  ageMs?: number;
}

export type Verification =
  | { verified: VerifiedHead; refused?: undefined }
  | { verified?: undefined; refused: Refusal };

export type PrincipalVerifier = (
  header: string | undefined,
  call: { method: string; path: string },
) => Verification;

const lifetimeMs = 30_000;

/** The services that may call this one, and the kinds of principals that each may send. */
export type Callers = Readonly<Record<string, { keys: KeysWithIds; kinds: readonly PrincipalKind[] }>>;

export function createPrincipalVerifier(options: {
  audience: string;
  callers: Callers;
  clock: Clock;
}): PrincipalVerifier {
  const { audience, clock } = options;
  const callers = new Map(Object.entries(options.callers));
  const isRepeated = createReplayCheck({ lifetimeMs, clock });

  return (header, call) => {
    if (!header) return refused('missing');
    const [caller, keyId, payload, mac, ...rest] = header.split('.');
    if (caller === undefined || payload === undefined || mac === undefined || rest.length > 0)
      return refused('malformed');
    const knownCaller = callers.get(caller);
    if (!knownCaller) return refused('unknown_caller');
    const key = knownCaller.keys.find(({ id }) => id === keyId);
    if (!key) return refused('unknown_key', { caller });

    const given = Buffer.from(mac, 'base64url');
    const expected = macOf(key, `${caller}.${keyId}.${payload}`);
    if (given.length !== expected.length || !timingSafeEqual(given, expected))
      return refused('wrong_mac', { caller });

    const signed = fromBinary(SignedPrincipalSchema, Buffer.from(payload, 'base64url'));
    const ageMs = clock.now() - Number(signed.issuedAtMs);
    if (Math.abs(ageMs) > lifetimeMs) return refused('expired', { caller, ageMs });
    if (signed.audience !== audience) return refused('wrong_audience', { caller });
    if (signed.method !== call.method) return refused('wrong_method', { caller });
    if (signed.path !== call.path) return refused('wrong_path', { caller });
    const principal = fromWire(signed.principal);
    if (!principal || !knownCaller.kinds.includes(principal.kind)) return refused('wrong_kind', { caller });
    const { callId, bodyDigest, issuedAtMs } = signed;
    if (!bodyDigest) return refused('malformed', { caller });
    if (isRepeated(given, Number(issuedAtMs))) return refused('repeated', { caller });
    return { verified: { caller, principal, callId, bodyDigest } };
  };
}

const refused = (reason: Refusal['reason'], details: Omit<Refusal, 'reason'> = {}): Verification => ({
  refused: { reason, ...details },
});
