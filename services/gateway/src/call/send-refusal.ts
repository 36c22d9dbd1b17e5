import type { IncomingMessage, ServerResponse } from 'node:http';
import { bodyLimit } from '@expert-relay/kit/http';
import { formatProblem, Problem, sendProblem } from '@expert-relay/kit/problem';

const mostDrainedBytes = 16 * bodyLimit;
const drainTimeMs = 2_000;

/**
 * Answers a problem even while the body of the call is still arriving. Closing a connection with unread bytes resets it,
 * and the client would not see the answer. So the rest is read and dropped for up to 2 s before the connection is
 * closed. After 16 MiB reading stops, so that a client that only sends must stop and read.
 */
export function sendRefusal(response: ServerResponse, problem: Problem): void {
  const request = response.req;
  if (response.headersSent || !isOpenEnded(request)) {
    sendProblem(response, problem);
    // Node drops a body that nothing has read yet. Where reading was stopped, the rest would stay on the connection.
    request.resume();
    return;
  }
  const { status, headers, body } = formatProblem(problem);
  response.writeHead(status, { ...headers, connection: 'close' });
  // An answer to HEAD has no body, with which Node would send the head.
  response.flushHeaders();
  response.write(body);

  let left = mostDrainedBytes;
  const end = () => {
    clearTimeout(timer);
    response.end();
  };
  const timer = setTimeout(end, drainTimeMs);
  request.on('data', (piece: Buffer) => {
    left -= piece.length;
    if (left < 0) request.pause();
  });
  request.once('close', end);
  request.resume();
}

/** Node itself drops a short body with a declared length, and keeps the connection. */
function isOpenEnded(request: IncomingMessage): boolean {
  if (request.complete) return false;
  const { 'transfer-encoding': coding, 'content-length': length = 0, expect } = request.headers;
  return coding !== undefined || Number(length) > bodyLimit || expect !== undefined;
}

/** The call cannot be served now, and has not taken effect. */
export const unavailable = (detail: string): Problem =>
  new Problem('unavailable', { detail: `${detail} Try again shortly.`, headers: { 'retry-after': '2' } });
