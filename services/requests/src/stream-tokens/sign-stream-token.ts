import { createPrivateKey } from 'node:crypto';
import type { Api } from '@expert-relay/contracts';
import { ConfigError } from '@expert-relay/kit/config';
import { SignJWT } from 'jose';
import type { Credential } from './check-topics.ts';

export type SignStreamToken = (grant: {
  userId: string;
  credential: Credential;
  topics: readonly string[];
}) => Promise<Api.StreamToken>;

/** A token is only needed to open a stream, and the stream stays open after its end. */
const lifetimeSeconds = 300;

/** Signs stream tokens. The hub has only the public key. */
export function createStreamTokenSigner(privateKey: string): SignStreamToken {
  const key = parsePrivateKey(privateKey);

  return async ({ userId, credential, topics }) => {
    const secretEndsAt = credential.secret?.endsAt ?? Number.POSITIVE_INFINITY;
    const expiresAt = Math.min(
      Math.floor(Date.now() / 1000) + lifetimeSeconds,
      Math.ceil(secretEndsAt / 1000),
    );
    const token = await new SignJWT({ topics: [...topics], cred: credential })
      .setProtectedHeader({ alg: 'EdDSA', typ: 'relay-stream+jwt' })
      .setIssuer('expert-relay')
      .setAudience('hub')
      .setSubject(userId)
      .setIssuedAt()
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
