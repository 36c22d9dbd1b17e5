/** What a stream rests on: it ends when this is revoked. */
export interface Credential {
  /** `key:<id>` or `session:<id>`. */
  readonly id: string;
  /** When the token was issued that states it, in milliseconds. */
  readonly issuedAt: number;
}

export const keyCredential = (apiKeyId: string): string => `key:${apiKeyId}`;
export const sessionCredential = (sessionId: string): string => `session:${sessionId}`;
