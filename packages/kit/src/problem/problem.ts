import { type ProblemCode, problems } from './catalogue.ts';

/** One member of a body or query that is not as it must be. */
export interface FieldError {
  /** Where it stands, such as `messages[3].content`. */
  path: string;
  /** Stable: `required`, `type`, `format`, `size`, `value`. */
  code: string;
  /** What is expected there. Never repeats what was sent. */
  message: string;
}

export interface ProblemOptions {
  detail?: string;
  fields?: readonly FieldError[];
  headers?: Readonly<Record<string, string>>;
  /** What failed inside. Never shown to clients. */
  cause?: unknown;
}

const docs = 'https://github.com/expert-relay/expert-relay/blob/main/docs/errors.md';

/** The one error type that reaches clients, as RFC 9457 has it. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly code: ProblemCode;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly #options: ProblemOptions;

  constructor(code: ProblemCode, options: ProblemOptions = {}) {
    super(options.detail ?? problems[code].title, { cause: options.cause });
    this.code = code;
    this.status = problems[code].status;
    this.headers = options.headers ?? {};
    this.#options = options;
  }

  toJSON(): Record<string, unknown> {
    const { title, status, help } = problems[this.code];
    return {
      type: `${docs}#${this.code}`,
      title,
      status,
      detail: this.#options.detail ?? help,
      error: this.code,
      ...(this.#options.fields && { fields: this.#options.fields }),
    };
  }
}
