import type { Outcome } from './exit-codes.ts';

export interface FailureOptions extends ErrorOptions {
  /** More precise than the outcome, for scripts. */
  code?: string;
  /** More precise than the code. */
  reason?: string | undefined;
  /** Another command that helps to find the reason. */
  hint?: string;
  /** What a script needs to continue, such as the reference code. */
  details?: Readonly<Record<string, unknown>>;
}

/** An expected failure: a sentence for people, an outcome for scripts. */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly outcome: Outcome;
  readonly code: string;
  readonly reason: string | undefined;
  readonly hint: string | undefined;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(outcome: Outcome, message: string, options: FailureOptions = {}) {
    super(message, options);
    this.outcome = outcome;
    this.code = options.code ?? outcome;
    this.reason = options.reason;
    this.hint = options.hint;
    this.details = options.details ?? {};
  }

  /** The same failure with one more sentence, and perhaps other details. */
  with(sentence: string, details = this.details): Failure {
    const { outcome, message, code, reason, hint } = this;
    const options = { code, reason, details, cause: this, ...(hint !== undefined && { hint }) };
    return new Failure(outcome, `${message}\n${sentence}`.trim(), options);
  }
}

/** The relay does not answer, or is too busy. */
export const unreachable = (message: string, options: Omit<FailureOptions, 'code' | 'details'> = {}) =>
  new Failure('unreachable', message, { code: 'unavailable', reason: 'unreachable', ...options });

const closedPipeCode = 'closed_pipe';

/** Nothing reads standard output any more. It ends commands that are not done yet. */
export const closedPipe = () => new Failure('failed', '', { code: closedPipeCode });

export const isClosedPipe = (error: unknown): boolean =>
  error instanceof Failure && error.code === closedPipeCode;
