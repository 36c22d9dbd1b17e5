import { createPrivateKey } from 'node:crypto';
import {
  type Api,
  type StreamTokenClaims,
  type StreamTokenCredential,
  streamToken,
} from '@expert-relay/contracts';
import type { Clock } from '@expert-relay/kit/clock';
import { ConfigError } from '@expert-relay/kit/config';
import { SignJWT } from 'jose';

export type SignStreamToken = (grant: {
  userId: string;
  credential: StreamTokenCredential;
  topics: readonly string[];
}) => Promise<Api.StreamToken>;

/** Signs stream tokens. The hub has only the public key. */
export function createStreamTokenSigner(options: { privateKey: string; clock: Clock }): SignStreamToken {
  const { clock } = options;
  const key = parsePrivateKey(options.privateKey);
  const { algorithm: alg, type: typ, issuer, audience, lifetimeSeconds } = streamToken;

  return async ({ userId, credential, topics }) => {
    const secretEndsAt =
      (credential.kind === 'session' ? undefined : credential.secret.endsAt) ?? Number.POSITIVE_INFINITY;
    const issuedAt = Math.floor(clock.now() / 1000);
    const expiresAt = Math.min(issuedAt + lifetimeSeconds, Math.ceil(secretEndsAt / 1000));
    const token = await new SignJWT({ topics, cred: credential } satisfies StreamTokenClaims)
      .setProtectedHeader({ alg, typ })
      .setIssuer(issuer)
      .setAudience(audience)
      .setSubject(userId)
      .setIssuedAt(issuedAt)
      .setExpirationTime(expiresAt)
      .sign(key);
    return { token, topics, expiresAt: new Date(expiresAt * 1000).toISOString() };
  };
}

function parsePrivateKey(text: string) {
  try {
    return createPrivateKey({ key: Buffer.from(text, 'base64url'), format: 'der', type: 'pkcs8' });
  } catch {
    throw new ConfigError([
      'RELAY_STREAM_TOKEN_PRIVATE_KEY is not valid (its value is not shown). ' +
        'It must be an Ed25519 private key, base64url of its PKCS#8 DER.',
    ]);
  }
}
