import { createPublicKey, type KeyObject } from 'node:crypto';
import { type StreamTokenClaims, type StreamTokenCredential, streamToken } from '@expert-relay/contracts';
import type { Clock } from '@expert-relay/kit/clock';
import { ConfigError } from '@expert-relay/kit/config';
import { errors, type JWTPayload, jwtVerify } from 'jose';

/** The key or session that a stream depends on: the stream ends when it is revoked. */
export interface Credential {
  /** `key:<id>` or `session:<id>`. */
  readonly id: string;
  /** Its user, whose keys and sessions are counted together. */
  readonly userId: string;
  /** When the key's secret was created or the session began, in milliseconds; if the token does not say, when it was issued. */
  readonly since: number;
  /** When that secret ends, if it had been rotated before the token was issued. */
  readonly endsAt?: number;
}

export const keyCredential = (apiKeyId: string): string => `key:${apiKeyId}`;
export const sessionCredential = (sessionId: string): string => `session:${sessionId}`;
export const allSessions = (userId: string): string => `sessions-of:${userId}`;

/** The ids whose revocation ends a credential: its own, and for a session that of all sessions of its user. */
export const idsOf = ({ id, userId }: Credential): readonly string[] =>
  id.startsWith('session:') ? [id, allSessions(userId)] : [id];

/** The content of a valid token. */
export interface Grant {
  readonly topics: ReadonlySet<string>;
  readonly credential: Credential;
}

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
        const { payload } = await jwtVerify(token, key, {
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

/** A valid signature shows that requests made the token, but it may have been another release of requests. */
type Unchecked<Members> = { readonly [Name in keyof Members]?: unknown };

function grantOf(claims: JWTPayload): Grant | undefined {
  const { topics, cred, iat, exp, sub } = claims as JWTPayload & Unchecked<StreamTokenClaims>;
  const { kind, id, begunAt, secret } = (cred ?? {}) as Unchecked<StreamTokenCredential>;
  if (!Array.isArray(topics) || typeof id !== 'string' || typeof sub !== 'string') return undefined;
  const issuedAt = 1_000 * (typeof iat === 'number' ? iat : Number(exp) - streamToken.lifetimeSeconds);
  const { createdAt, endsAt } = (secret ?? {}) as Unchecked<Required<StreamTokenCredential>['secret']>;
  return {
    topics: new Set(topics.filter((topic) => typeof topic === 'string')),
    credential: {
      id: kind === 'session' ? sessionCredential(id) : keyCredential(id),
      userId: sub,
      since: [createdAt, begunAt].find((time) => typeof time === 'number') ?? issuedAt,
      ...(typeof endsAt === 'number' && { endsAt }),
    },
  };
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
