import type { ErrorRequestHandler } from 'express';
import { type Log, lastLine } from '../log/index.ts';
import { Problem, sendProblem, unavailable } from '../problem/index.ts';
import { isRead } from './is-read.ts';

export interface ErrorHandling {
  /** The gateway's own function also works while a body is still arriving. */
  readonly send?: typeof sendProblem;
  /** Whether an error means that a dependency of the service is away: callers should try again. */
  readonly isOutage?: (error: unknown) => boolean;
  /** Whether an error means that the caller's user was erased after the credential had been accepted. */
  readonly isErased?: (error: unknown) => boolean;
}

/**
 * Responds to a call that failed. An error that is not a `Problem` is a defect of the service, and is logged. The call id of the
 * log lines is the header `x-request-id` of the request, which the gateway sets.
 */
export function handleErrors(
  log: Log,
  { send = sendProblem, isOutage = () => false, isErased = () => false }: ErrorHandling = {},
): ErrorRequestHandler {
  return (error, request, response, _next) => {
    const hasClientLeft =
      (request.destroyed && !request.complete) || error.code === 'ERR_STREAM_PREMATURE_CLOSE';
    if (hasClientLeft) {
      response.destroy();
      return;
    }
    const callId = request.get('x-request-id');
    const isAway = !(error instanceof Problem) && isOutage(error);
    const problem = isAway
      ? outageProblem(request.method)
      : isErased(error)
        ? new Problem('unauthorized')
        : asProblem(error);
    if (isAway) {
      log.warn({ callId, code: error.code, reason: lastLine(error.message) }, 'a call could not be served');
    }
    if (problem.code === 'internal') log.error({ callId, err: error }, 'a call failed unexpectedly');
    send(response, problem);
  };
}

function outageProblem(method: string): Problem {
  if (isRead(method)) return unavailable('A server behind this service is away.');
  return unavailable(
    'A server behind this service is away, and it is not known whether the call took effect. It takes effect once, with the same `messageId` or `Idempotency-Key`.',
  );
}

function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  // Express throws this for paths that cannot be decoded, such as `/%E0%A4%A`.
  if (error instanceof URIError) {
    return new Problem('invalid_request', { detail: 'The path is not valid percent-encoded UTF-8.' });
  }
  return new Problem('internal');
}
