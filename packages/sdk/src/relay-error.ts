/** What went wrong, by what can be done about it. */
export type RelayErrorCode =
  // The call.
  | 'invalid_input'
  | 'invalid_key'
  | 'not_found'
  | 'conflict'
  | 'once_reused'
  | 'too_large'
  | 'unavailable'
  | 'aborted'
  | 'timeout'
  // The conversation.
  | 'closed'
  | 'expired'
  | 'withdrawn'
  | 'no_keys_yet'
  | 'newer_message'
  | 'parts_missing'
  // Forms.
  | 'answer_invalid'
  | 'answer_conflict'
  | 'decision_too_old'
  // What cannot be trusted.
  | 'new_expert'
  | 'unprotected'
  | 'unsupported_version'
  | 'untrusted'
  | 'wrong_recovery_code';

/** The finer names of errors: those of docs/crypto.md, of the relay (docs/errors.md), and of this package. */
export const codeOfReason = {
  invalid_form: 'invalid_input',
  invalid_json: 'invalid_input',
  invalid_request: 'invalid_input',
  lone_surrogate: 'invalid_input',
  nul_character: 'invalid_input',
  unsupported_media_type: 'invalid_input',
  unauthorized: 'invalid_key',
  forbidden: 'invalid_key',
  role_mismatch: 'invalid_key',
  foreign_host: 'invalid_key',
  foreign_origin: 'invalid_key',
  conversation_full: 'conflict',
  idempotency_key_reused: 'conflict',
  key_revoked: 'conflict',
  keys_already_exchanged: 'conflict',
  message_id_taken: 'conflict',
  precondition_failed: 'conflict',
  precondition_required: 'conflict',
  message_too_large: 'too_large',
  payload_too_large: 'too_large',
  unreachable: 'unavailable',
  rate_limited: 'unavailable',
  unexpected_answer: 'unavailable',
  answer_too_large: 'unavailable',
  key_signature_missing: 'unprotected',
  plaintext_refused: 'unprotected',
  unsequenced_refused: 'unprotected',
  invalid_public_key: 'untrusted',
  key_signature_wrong: 'untrusted',
  keys_changed: 'untrusted',
  malformed_frame: 'untrusted',
  malformed_message: 'untrusted',
  malformed_receipt: 'untrusted',
  malformed_vault: 'untrusted',
  message_missing: 'untrusted',
  message_replayed: 'untrusted',
  no_decision: 'untrusted',
  question_altered: 'untrusted',
  receipt_not_canonical: 'untrusted',
  receipt_signature_wrong: 'untrusted',
  undecryptable: 'untrusted',
  unknown_expert: 'untrusted',
  wrong_role: 'untrusted',
  wrong_sender_key: 'untrusted',
  wrong_signature: 'untrusted',
} as const satisfies Readonly<Record<string, RelayErrorCode>>;

/** Why exactly, where a code has several reasons. */
export type RelayErrorReason = keyof typeof codeOfReason;

/** The finest name of an error: its reason, else its code. */
export type RelayErrorName = RelayErrorCode | RelayErrorReason;

export const isReason = (name: string | undefined): name is RelayErrorReason =>
  name !== undefined && Object.hasOwn(codeOfReason, name);

/** Further details of an error. */
export interface RelayErrorOptions extends ErrorOptions {
  readonly status?: number | undefined;
  readonly retryAfterMs?: number | undefined;
}

/**
 * The one error of this package. `code` and `reason` are stable, the message says what to do next.
 *
 * @example
 * try {
 *   await conversation.waitForAnswer({ timeoutMs: 60_000 });
 * } catch (error) {
 *   if (RelayError.is(error, 'timeout')) console.log('No answer yet.');
 *   else throw error;
 * }
 */
export class RelayError extends Error {
  override readonly name = 'RelayError';
  declare readonly code: RelayErrorCode;
  /** The HTTP status, where the relay refused a call. */
  declare readonly status: number | undefined;
  /** Why exactly: undefined where the code says it all. */
  declare readonly reason: RelayErrorReason | undefined;
  /** When to try again, in milliseconds from now. */
  declare readonly retryAfterMs: number | undefined;

  /** The code of a reason is known. */
  constructor(name: RelayErrorName, message: string, options: RelayErrorOptions = {}) {
    super(message, options);
    const { status, retryAfterMs } = options;
    const [code, reason] = isReason(name) ? [codeOfReason[name], name] : [name];
    Object.assign(this, { code, reason, status, retryAfterMs });
  }

  /** Whether it is an error of this package with one of these codes or reasons. */
  static is(error: unknown, ...names: readonly RelayErrorName[]): error is RelayError {
    return (
      error instanceof RelayError && [error.code, error.reason].some((name) => name && names.includes(name))
    );
  }
}

/** For a value that the caller must change. */
export const invalidInput = (sentence: string, options?: ErrorOptions) =>
  new RelayError('invalid_input', sentence, options);

/** For a saved state that was changed. */
export const notAsExported = () =>
  invalidInput('This is not what `export()` gave. Give that unchanged, or start again.');
