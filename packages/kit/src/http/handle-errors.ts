import type { ErrorRequestHandler } from 'express';
import type { Log } from '../log/index.ts';
import { Problem, sendProblem } from '../problem/index.ts';

/**
 * The one place where an error becomes an answer. Whatever is no `Problem` is ours, and is logged.
 * `send` is for the edge, which must care for bodies that it did not read.
 */
export function handleErrors(log: Log, send: typeof sendProblem = sendProblem): ErrorRequestHandler {
  return (error, request, response, _next) => {
    const hungUp = (request.destroyed && !request.complete) || error.code === 'ERR_STREAM_PREMATURE_CLOSE';
    if (hungUp) {
      response.destroy();
      return;
    }
    const problem = asProblem(error);
    if (problem.code === 'internal') log.error({ err: error }, 'a call failed unexpectedly');
    send(response, problem);
  };
}

function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  // Express itself refuses paths that cannot be decoded, such as `/%E0%A4%A`.
  if (error instanceof URIError) {
    return new Problem('invalid_request', { detail: 'The path is not valid percent-encoded UTF-8.' });
  }
  return new Problem('internal');
}
