import { createPublicKey, type KeyObject } from 'node:crypto';
import { type StreamTokenClaims, type StreamTokenCredential, streamToken } from '@expert-relay/contracts';
import type { Clock } from '@expert-relay/kit/clock';
import { ConfigError } from '@expert-relay/kit/config';
import { errors, jwtVerify } from 'jose';

/** The key or session that a stream depends on: the stream ends when it is revoked. */
export interface Credential {
  readonly kind: 'key' | 'session';
  /** `key:<id>` or `session:<id>`. */
  readonly id: string;
  /** Its user, whose keys and sessions are counted together. */
  readonly userId: string;
  /** When the key's secret was created or the session began, in milliseconds. */
  readonly since: number;
  /** When that secret ends, if it had been rotated before the token was issued. */
  readonly endsAt?: number;
}

export const keyCredential = (apiKeyId: string): string => `key:${apiKeyId}`;
export const sessionCredential = (sessionId: string): string => `session:${sessionId}`;
export const allSessions = (userId: string): string => `sessions-of:${userId}`;

/** The ids whose revocation ends a credential: its own, and for a session that of all sessions of its user. */
export const idsOf = ({ kind, id, userId }: Credential): readonly string[] =>
  kind === 'session' ? [id, allSessions(userId)] : [id];

/** The content of a valid token. */
export interface Grant {
  readonly topics: ReadonlySet<string>;
  readonly credential: Credential;
}

/** The user is a standard claim. */
type Claims = StreamTokenClaims & { readonly sub: string };
type SessionClaim = Extract<StreamTokenCredential, { kind: 'session' }>;
type KeyClaim = Exclude<StreamTokenCredential, SessionClaim>;

export type VerifyStreamToken = (token: string) => Promise<Grant | undefined>;

export function createStreamTokenVerifier(options: {
  keys: readonly KeyObject[];
  clock: Clock;
}): VerifyStreamToken {
  const { keys, clock } = options;
  const { algorithm, type: typ, issuer, audience } = streamToken;

  return async (token) => {
    for (const key of keys) {
      try {
        const { payload } = await jwtVerify<Claims>(token, key, {
          algorithms: [algorithm],
          typ,
          issuer,
          audience,
          requiredClaims: ['exp', 'sub', 'topics', 'cred'],
          currentDate: new Date(clock.now()),
        });
        return grantOf(payload);
      } catch (error) {
        // It may be signed with another of the keys. Every other error is the same with each key.
        if (!(error instanceof errors.JWSSignatureVerificationFailed)) return undefined;
      }
    }
    return undefined;
  };
}

function grantOf({ sub: userId, topics, cred }: Claims): Grant | undefined {
  const credential = cred.kind === 'session' ? sessionOf(cred, userId) : keyOf(cred, userId);
  // A valid signature shows that requests made the token. But without this time, a revocation would not end the credential.
  return Number.isFinite(credential.since) ? { topics: new Set(topics), credential } : undefined;
}

const sessionOf = ({ id, begunAt }: SessionClaim, userId: string): Credential => ({
  kind: 'session',
  id: sessionCredential(id),
  userId,
  since: begunAt,
});

function keyOf({ id, secret }: KeyClaim, userId: string): Credential {
  const { createdAt: since, endsAt } = secret;
  return { kind: 'key', id: keyCredential(id), userId, since, ...(endsAt !== undefined && { endsAt }) };
}

/** The public keys that stream tokens are verified with. */
export function parseStreamTokenKeys(texts: readonly string[]): readonly KeyObject[] {
  const keys = texts.map(parseKey);
  if (keys.length > 0) return keys;
  throw new ConfigError([
    'RELAY_STREAM_TOKEN_PUBLIC_KEYS is not set. It must name the public half of RELAY_STREAM_TOKEN_PRIVATE_KEY.',
  ]);
}

function parseKey(text: string): KeyObject {
  try {
    const key = createPublicKey({ key: Buffer.from(text, 'base64url'), format: 'der', type: 'spki' });
    if (key.asymmetricKeyType === 'ed25519') return key;
  } catch {
    // Reported below, like a key of another algorithm.
  }
  throw new ConfigError([
    'RELAY_STREAM_TOKEN_PUBLIC_KEYS is not valid (its value is not shown). ' +
      'Each entry must be an Ed25519 public key, base64url of its SPKI DER, and not the private key.',
  ]);
}
