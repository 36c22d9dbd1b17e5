/** What a stream rests on: it ends when this is revoked. */
export interface Credential {
  /** `key:<id>` or `session:<id>`. */
  readonly id: string;
  /** When the key's secret was made, in milliseconds; if the token does not say that, when the token was issued. */
  readonly since: number;
  /** When that secret ends, if a rotation had replaced it before the token was issued. */
  readonly endsAt?: number;
}

export const keyCredential = (apiKeyId: string): string => `key:${apiKeyId}`;
export const sessionCredential = (sessionId: string): string => `session:${sessionId}`;
