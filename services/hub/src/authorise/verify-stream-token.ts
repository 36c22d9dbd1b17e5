import type { KeyObject } from 'node:crypto';
import type { Clock } from '@expert-relay/kit/clock';
import { errors, jwtVerify } from 'jose';
import { type Credential, keyCredential, sessionCredential } from './credential.ts';

/** What a valid token says: which topics it opens, and what that rests on. */
export interface Grant {
  readonly topics: ReadonlySet<string>;
  readonly credential: Credential;
}

export type VerifyStreamToken = (token: string) => Promise<Grant | undefined>;

/** How long a token may be used to connect, in seconds. */
const lifetime = 300;

export function createStreamTokenVerifier(options: {
  keys: readonly KeyObject[];
  clock: Clock;
}): VerifyStreamToken {
  const { keys, clock } = options;

  return async (token) => {
    for (const key of keys) {
      try {
        const { payload } = await jwtVerify(token, key, {
          algorithms: ['EdDSA'],
          typ: 'relay-stream+jwt',
          issuer: 'expert-relay',
          audience: 'hub',
          requiredClaims: ['exp', 'sub', 'topics', 'cred'],
          currentDate: new Date(clock.now()),
        });
        return grantOf(payload);
      } catch (error) {
        // Signed with another of the keys, perhaps. Whatever else is wrong, is wrong under every key.
        if (!(error instanceof errors.JWSSignatureVerificationFailed)) return undefined;
      }
    }
    return undefined;
  };
}

function grantOf(claims: Record<string, unknown>): Grant | undefined {
  const { topics, cred, iat, exp } = claims;
  const { kind, id, secret } = (cred ?? {}) as { kind?: unknown; id?: unknown; secret?: unknown };
  if (!Array.isArray(topics) || typeof id !== 'string') return undefined;
  const issuedAt = 1_000 * (typeof iat === 'number' ? iat : Number(exp) - lifetime);
  const { createdAt, endsAt } = (secret ?? {}) as { createdAt?: unknown; endsAt?: unknown };
  return {
    topics: new Set(topics.filter((topic) => typeof topic === 'string')),
    credential: {
      id: kind === 'session' ? sessionCredential(id) : keyCredential(id),
      since: typeof createdAt === 'number' ? createdAt : issuedAt,
      ...(typeof endsAt === 'number' && { endsAt }),
    },
  };
}
