import { createHmac, hash } from 'node:crypto';
import type { KeyWithId } from '../config/index.ts';
import type {
  ApiKeyPrincipal,
  SignedPrincipal,
  SessionPrincipal as WireSession,
} from '../generated/relay/principal/v1/principal_pb.ts';

/**
 * One of the secrets of an API key. A rotation makes a new one, and the replaced ones expire some time later. Times are in
 * milliseconds since 1970, by the database's clock.
 */
export interface KeySecret {
  createdAt: number;
  /** Absent if the secret was not replaced. */
  endsAt?: number;
}

/** A session of an expert. Times are in milliseconds since 1970, by the clock of the dashboard. */
export interface SessionPrincipal {
  kind: 'session';
  sessionId: string;
  userId: string;
  begunAt: number;
  /** When it ends, unless it is used again. */
  endsAt: number;
}

/** Who makes a call. The kinds are also values of the log field and of the metric label `caller`. */
export type Principal =
  | { kind: 'consumer'; apiKeyId: string; userId: string; secret: KeySecret }
  | { kind: 'provider'; apiKeyId: string; userId: string; secret: KeySecret }
  | SessionPrincipal
  /** A caller without an API key. From the gateway to the dashboard also browsers that are signed in: only the dashboard reads their cookie. */
  | { kind: 'nobody' }
  /** The dashboard, to find or make the user who signs in, and to find and use sign-in links. */
  | { kind: 'signin' }
  /** The hub, to exchange an API key for a stream token, and to read the newest revocations. */
  | { kind: 'hub' };

export type KeyPrincipal = Extract<Principal, { kind: 'consumer' | 'provider' }>;

export type PrincipalKind = Principal['kind'];

export const principalHeader = 'x-relay-principal';

export type WirePrincipal = SignedPrincipal['principal'];
type WireInit = { [C in NonNullable<WirePrincipal['case']>]: { case: C; value: object } };

export function toWire(principal: Principal): WireInit[keyof WireInit] {
  switch (principal.kind) {
    case 'consumer':
      return { case: 'consumerKey', value: keyToWire(principal) };
    case 'provider':
      return { case: 'providerKey', value: keyToWire(principal) };
    case 'session':
      return { case: 'session', value: sessionToWire(principal) };
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
      return { kind: 'consumer', ...keyFromWire(wire.value) };
    case 'providerKey':
      return { kind: 'provider', ...keyFromWire(wire.value) };
    case 'session':
      return { kind: 'session', ...sessionFromWire(wire.value) };
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

const sessionToWire = ({ sessionId, userId, begunAt, endsAt }: SessionPrincipal): object => ({
  sessionId,
  userId,
  begunAtMs: BigInt(begunAt),
  endsAtMs: BigInt(endsAt),
});

const sessionFromWire = ({ sessionId, userId, begunAtMs, endsAtMs }: WireSession) => ({
  sessionId,
  userId,
  begunAt: Number(begunAtMs),
  endsAt: Number(endsAtMs),
});

const keyToWire = ({ apiKeyId, userId, secret: { createdAt, endsAt = 0 } }: KeyPrincipal): object => ({
  apiKeyId,
  userId,
  secretCreatedAtMs: BigInt(createdAt),
  secretEndsAtMs: BigInt(endsAt),
});

function keyFromWire({ apiKeyId, userId, secretCreatedAtMs, secretEndsAtMs }: ApiKeyPrincipal) {
  const createdAt = Number(secretCreatedAtMs);
  const secret = { createdAt, ...(secretEndsAtMs > 0n && { endsAt: Number(secretEndsAtMs) }) };
  return { apiKeyId, userId, secret };
}

export const macOf = (key: KeyWithId, text: string): Buffer =>
  createHmac('sha256', key.secret).update(text).digest();

export const digestOf = (body: Buffer): Buffer => hash('sha256', body, 'buffer');
