import { createHmac, randomBytes } from 'node:crypto';

export interface SigningSecrets {
  /** `whsec_` and base64. */
  readonly secret: string;
  /** The secret before the last rotation, which signs too until a time, in milliseconds since 1970. */
  readonly previous?: { readonly secret: string; readonly endsAt: number };
}

const secretPrefix = 'whsec_';

/** A new secret: 32 random bytes in the form of Standard Webhooks. */
export const makeSecret = (): string => `${secretPrefix}${randomBytes(32).toString('base64')}`;

/**
 * The headers of Standard Webhooks 1.0. During a rotation there are two signatures: a receiver accepts a delivery if it can
 * verify one of them.
 */
export function signedHeaders(
  { id, body }: { id: string; body: string },
  { secret, previous }: SigningSecrets,
  nowMs: number,
): Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string> {
  const timestamp = String(Math.floor(nowMs / 1_000));
  const secrets = previous && previous.endsAt > nowMs ? [secret, previous.secret] : [secret];
  const signatures = secrets.map((one) => {
    const key = Buffer.from(one.slice(secretPrefix.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  };
}
