import { codeOfReason, isReason, RelayError, type RelayErrorName } from '../relay-error.ts';
import { isObject, textOf } from './shape.ts';

const byStatus: Readonly<Record<number, RelayErrorName>> = {
  400: 'invalid_input',
  401: 'invalid_key',
  403: 'invalid_key',
  404: 'not_found',
  408: 'unreachable',
  409: 'conflict',
  412: 'conflict',
  413: 'too_large',
  415: 'invalid_input',
  422: 'conflict',
  428: 'conflict',
  429: 'rate_limited',
};

/** The error for a response with an error status. */
export function problemError(response: Response, body: unknown): RelayError {
  const { status } = response;
  const why = quoteProblem(body) || 'The relay did not say why: ask its operator.';
  return new RelayError(
    nameOf(status, textOf(isObject(body) ? body.error : undefined)),
    `${why} (HTTP ${status})`,
    {
      status,
      retryAfterMs: retryAfterOf(response),
    },
  );
}

/** The relay's own name of an error counts only as a reason of what its status says. */
function nameOf(status: number, problem: string | undefined): RelayErrorName {
  if (problem === 'conversation_closed') return 'closed';
  if (problem === 'conversation_expired') return 'expired';
  const name = byStatus[status] ?? (status >= 500 ? 'unreachable' : 'unexpected_answer');
  return isReason(problem) && codeOfReason[problem] === name ? problem : name;
}

/** What the relay says about an error; empty when it says nothing. */
function quoteProblem(body: unknown): string {
  const { detail, title, fields } = isObject(body) ? body : {};
  const fieldTexts = [fields]
    .flat()
    .filter(isObject)
    .map(({ path, message }) => textOf(path) && textOf(message) && `${path}: ${message}`);
  const text = [textOf(title) && `${title}.`, textOf(detail), ...fieldTexts]
    .filter(Boolean)
    .join(' ')
    // It is quoted on one line, without control characters: a terminal or a model may read it.
    .replaceAll(/["\p{C}\p{Z}]+/gu, ' ')
    .slice(0, 500)
    .trim();
  return text && `The relay says: "${text}"`;
}

/** Seconds, or a date that is compared with the relay's own clock, since ours may be wrong. */
function retryAfterOf({ headers }: Response): number | undefined {
  const text = headers.get('retry-after') ?? '';
  const wait = /^\d{1,6}$/.test(text)
    ? Number(text) * 1_000
    : Date.parse(text) - Date.parse(headers.get('date') ?? '');
  return Number.isNaN(wait) ? undefined : Math.max(wait, 0);
}
