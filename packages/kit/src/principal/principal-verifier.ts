import { timingSafeEqual } from 'node:crypto';
import { fromBinary } from '@bufbuild/protobuf';
import type { Clock } from '../clock/index.ts';
import { SignedPrincipalSchema } from '../generated/relay/principal/v1/principal_pb.ts';
import { fromWire, type Principal, type PrincipalKind } from './principal.ts';
import { macOf, type PrincipalKeys } from './principal-keys.ts';

/** What a valid header states about a call. */
export interface StatedCall {
  principal: Principal;
  callId: string;
}

export type PrincipalVerifier = (
  header: string | undefined,
  call: { method: string; path: string },
) => StatedCall | undefined;

const lifetime = 30_000;

/** Who may state principals to this service, and of which kinds. */
export type Callers = Readonly<Record<string, { keys: PrincipalKeys; kinds: readonly PrincipalKind[] }>>;

export function createPrincipalVerifier(options: {
  audience: string;
  callers: Callers;
  clock: Clock;
}): PrincipalVerifier {
  const { audience, clock } = options;
  const callers = new Map(Object.entries(options.callers));

  return (header, call) => {
    const [caller, keyId, payload, mac, ...rest] = header?.split('.') ?? [];
    if (caller === undefined || payload === undefined || mac === undefined || rest.length > 0)
      return undefined;
    const known = callers.get(caller);
    const key = known?.keys.find(({ id }) => id === keyId);
    if (!known || !key) return undefined;

    const given = Buffer.from(mac, 'base64url');
    const expected = macOf(key, `${caller}.${keyId}.${payload}`);
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;

    const signed = fromBinary(SignedPrincipalSchema, Buffer.from(payload, 'base64url'));
    const age = clock.now() - Number(signed.issuedAtMs);
    const isThisCall =
      signed.audience === audience && signed.method === call.method && signed.path === call.path;
    const principal = fromWire(signed.principal);
    if (!isThisCall || Math.abs(age) > lifetime || !principal || !known.kinds.includes(principal.kind)) {
      return undefined;
    }
    return { principal, callId: signed.callId };
  };
}
