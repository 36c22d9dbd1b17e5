import type { ServerResponse } from 'node:http';
import { type ProblemCode, problems } from './catalogue.ts';

/** A member of a body or query that is not valid. */
export interface FieldError {
  /** Its path, such as `messages[3].content`. */
  path: string;
  /** Stable: `required`, `type`, `format`, `size`, `value`. */
  code: string;
  /** What is expected there. Never repeats the value. */
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

/** The one error type that reaches clients, in the form of RFC 9457. */
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

/** The call cannot be served now. It has not taken effect, unless `detail` says that this is not known. */
export const unavailable = (detail: string, options: { cause?: unknown } = {}): Problem =>
  new Problem('unavailable', {
    ...options,
    detail: `${detail} Try again shortly.`,
    headers: { 'retry-after': '2' },
  });

export interface FormattedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | number>>;
  readonly body: string;
}

/** The response that reports a problem. */
export function formatProblem(problem: Problem): FormattedResponse {
  const body = JSON.stringify(problem);
  return {
    status: problem.status,
    headers: {
      'cache-control': 'no-store',
      ...problem.headers,
      'content-type': 'application/problem+json',
      'content-length': Buffer.byteLength(body),
    },
    body,
  };
}

/** Responds with a problem; a response that was started already is cut off. */
export const sendProblem = (response: ServerResponse, problem: Problem): void =>
  sendFormatted(response, formatProblem(problem));

/** Sends a whole response; one that was started already is cut off. */
export function sendFormatted(response: ServerResponse, { status, headers, body }: FormattedResponse): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  response.writeHead(status, headers);
  response.end(response.req.method === 'HEAD' ? undefined : body);
}
