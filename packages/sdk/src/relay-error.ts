/** The stable names of all errors. */
export type RelayErrorCode =
  // The call.
  | 'invalid_input'
  | 'invalid_key'
  | 'not_found'
  | 'conflict'
  | 'once_reused'
  | 'rate_limited'
  | 'unreachable'
  | 'unexpected_answer'
  | 'answer_too_large'
  | 'aborted'
  | 'timeout'
  // The conversation.
  | 'conversation_closed'
  | 'conversation_expired'
  | 'withdrawn'
  | 'no_keys_yet'
  | 'message_too_large'
  | 'newer_message'
  | 'parts_missing'
  // Forms.
  | 'invalid_form'
  | 'answer_invalid'
  | 'answer_conflict'
  | 'decision_too_old'
  // What cannot be trusted.
  | 'invalid_public_key'
  | 'unknown_expert'
  | 'new_expert'
  | 'key_signature_missing'
  | 'key_signature_wrong'
  | 'unsupported_version'
  | 'question_altered'
  | 'keys_changed'
  | 'malformed_message'
  | 'wrong_role'
  | 'wrong_sender_key'
  | 'wrong_signature'
  | 'undecryptable'
  | 'malformed_frame'
  | 'message_missing'
  | 'message_replayed'
  | 'plaintext_refused'
  | 'unsequenced_refused'
  | 'wrong_recovery_code'
  | 'malformed_vault';

/** Further details of an error. */
export interface RelayErrorOptions extends ErrorOptions {
  readonly status?: number | undefined;
  readonly problem?: string | undefined;
  readonly retryAfterMs?: number | undefined;
}

/**
 * The one error of this package: `code` is stable, the message says what to do next.
 *
 * @example
 * try {
 *   await conversation.waitForAnswer({ timeoutMs: 60_000 });
 * } catch (error) {
 *   if (error instanceof RelayError && error.code === 'timeout') console.log('No answer yet.');
 *   else throw error;
 * }
 */
export class RelayError extends Error {
  override readonly name = 'RelayError';
  declare readonly code: RelayErrorCode;
  /** The HTTP status, where the relay refused a call. */
  declare readonly status: number | undefined;
  /** The relay's own error code: see docs/errors.md. */
  declare readonly problem: string | undefined;
  /** When to try again, in milliseconds from now. */
  declare readonly retryAfterMs: number | undefined;

  constructor(code: RelayErrorCode, message: string, options: RelayErrorOptions = {}) {
    super(message, options);
    const { status, problem, retryAfterMs } = options;
    Object.assign(this, { code, status, problem, retryAfterMs });
  }
}

export const hasCode = (error: unknown, ...codes: readonly RelayErrorCode[]): error is RelayError =>
  error instanceof RelayError && codes.includes(error.code);

/** For a value that the caller must change. */
export const invalidInput = (sentence: string) => new RelayError('invalid_input', sentence);

/** For a saved state that was changed. */
export const notAsExported = () =>
  invalidInput('This is not what `export()` or `state()` gave. Give that unchanged, or start again.');
