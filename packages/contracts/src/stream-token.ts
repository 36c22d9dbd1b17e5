/** The form of a stream token, which requests signs and the hub verifies: a JWT whose `sub` is the user. */
export const streamToken = {
  algorithm: 'EdDSA',
  type: 'relay-stream+jwt',
  issuer: 'expert-relay',
  audience: 'hub',
  /** A token is only needed to open a stream, and the stream stays open after its end. */
  lifetimeSeconds: 300,
} as const;

/** The claims of a stream token that are not common to all JWTs. */
export interface StreamTokenClaims {
  readonly topics: readonly string[];
  readonly cred: StreamTokenCredential;
}

/**
 * The clock of the dashboard that began a session may be ahead of the database's by this time. So the end of all sessions of a user
 * also ends those that began until then.
 */
export const sessionClockToleranceMs = 30_000;

/** The key or session that a stream depends on: the stream ends when it is revoked. */
export type StreamTokenCredential =
  | {
      readonly kind: 'consumer' | 'provider';
      readonly id: string;
      /** Times in milliseconds since 1970. The stream also ends when the secret ends. */
      readonly secret: { readonly createdAt: number; readonly endsAt?: number };
    }
  | {
      readonly kind: 'session';
      readonly id: string;
      /** In milliseconds since 1970. */
      readonly begunAt: number;
    };

/** The detail of a 403. Requests checks the topics of a key or session, the hub those of a token. */
export const topicsNotCovered =
  'This credential does not cover every topic. A key covers the topics that GET /api/v1/whoami lists and those of the requests it may read; a stream token covers the topics it was made for.';
