import type { ErrorRequestHandler } from 'express';
import type { Log } from '../log/index.ts';
import { Problem, sendProblem } from '../problem/index.ts';

export interface ErrorHandling {
  /** For the gateway, which must deal with bodies that it did not read. */
  readonly send?: typeof sendProblem;
  /** Whether an error means that a dependency of the service is away: callers should try again. */
  readonly isOutage?: (error: unknown) => boolean;
}

/** Turns an error into an answer. An error that is not a `Problem` is a defect of the service, and is logged. */
export function handleErrors(
  log: Log,
  { send = sendProblem, isOutage = () => false }: ErrorHandling = {},
): ErrorRequestHandler {
  return (error, request, response, _next) => {
    const hungUp = (request.destroyed && !request.complete) || error.code === 'ERR_STREAM_PREMATURE_CLOSE';
    if (hungUp) {
      response.destroy();
      return;
    }
    const callId = request.get('x-request-id');
    const away = !(error instanceof Problem) && isOutage(error);
    const problem = away ? outage() : asProblem(error);
    if (away) {
      log.warn({ callId, code: error.code, reason: lastLine(error.message) }, 'a call could not be served');
    }
    if (problem.code === 'internal') log.error({ callId, err: error }, 'a call failed unexpectedly');
    send(response, problem);
  };
}

/** Some libraries write the position in the code before the reason. */
const lastLine = (message: string): string => message.trimEnd().split('\n').at(-1) ?? '';

function outage(): Problem {
  return new Problem('unavailable', {
    detail: 'Try again shortly. A write takes effect once, with the same `messageId` or `Idempotency-Key`.',
    headers: { 'retry-after': '2' },
  });
}

function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  // Express itself refuses paths that cannot be decoded, such as `/%E0%A4%A`.
  if (error instanceof URIError) {
    return new Problem('invalid_request', { detail: 'The path is not valid percent-encoded UTF-8.' });
  }
  return new Problem('internal');
}
