import type { SignedPrincipal } from '../generated/relay/principal/v1/principal_pb.ts';

/** Who makes a call. */
export type Principal =
  | { kind: 'consumer'; apiKeyId: string; userId: string }
  | { kind: 'provider'; apiKeyId: string; userId: string }
  | { kind: 'session'; sessionId: string; userId: string }
  /** A caller without a credential. */
  | { kind: 'nobody' }
  /** The dashboard, only to find or make the user who signs in. */
  | { kind: 'signin' }
  /** The hub, only to exchange an API key for a stream token. */
  | { kind: 'hub' };

export type PrincipalKind = Principal['kind'];

export const principalHeader = 'x-relay-principal';

export type WirePrincipal = SignedPrincipal['principal'];
type WireInit = { [C in NonNullable<WirePrincipal['case']>]: { case: C; value: object } };

export function toWire(principal: Principal): WireInit[keyof WireInit] {
  switch (principal.kind) {
    case 'consumer':
      return { case: 'consumerKey', value: { apiKeyId: principal.apiKeyId, userId: principal.userId } };
    case 'provider':
      return { case: 'providerKey', value: { apiKeyId: principal.apiKeyId, userId: principal.userId } };
    case 'session':
      return { case: 'session', value: { sessionId: principal.sessionId, userId: principal.userId } };
    case 'nobody':
      return { case: 'nobody', value: {} };
    case 'signin':
      return { case: 'signIn', value: {} };
    case 'hub':
      return { case: 'hub', value: {} };
  }
}

export function fromWire(wire: WirePrincipal): Principal | undefined {
  switch (wire.case) {
    case 'consumerKey':
      return { kind: 'consumer', apiKeyId: wire.value.apiKeyId, userId: wire.value.userId };
    case 'providerKey':
      return { kind: 'provider', apiKeyId: wire.value.apiKeyId, userId: wire.value.userId };
    case 'session':
      return { kind: 'session', sessionId: wire.value.sessionId, userId: wire.value.userId };
    case 'nobody':
      return { kind: 'nobody' };
    case 'signIn':
      return { kind: 'signin' };
    case 'hub':
      return { kind: 'hub' };
    default:
      return undefined;
  }
}
