import type { IncomingMessage, ServerResponse } from 'node:http';
import { bodyLimit } from '@expert-relay/kit/http';
import { formatError, sendError } from '@expert-relay/kit/pages';
import type { Problem } from '@expert-relay/kit/problem';

const maxDroppedBytes = 16 * bodyLimit;
const dropTimeMs = 2_000;

/**
 * Responds with a problem, even while the body of the call is still arriving. A connection that is closed with unread bytes
 * is reset, and the client might not see the response. So the rest of the body is read and dropped for up to 2 s before the
 * connection is closed. After 16 MiB reading stops, so that a client that only sends must stop and read.
 */
export function sendRefusal(response: ServerResponse, problem: Problem): void {
  const request = response.req;
  if (response.headersSent || !mustDropBody(request)) {
    sendError(response, problem);
    // Node drops a body that nothing has read yet. If reading was paused, the rest would stay on the connection.
    request.resume();
    return;
  }
  const { status, headers, body } = formatError(request, problem);
  response.writeHead(status, { ...headers, connection: 'close' });
  // A response to HEAD has no body with which Node would send the head.
  response.flushHeaders();
  response.write(body);

  let bytesLeft = maxDroppedBytes;
  const end = () => {
    clearTimeout(timer);
    response.end();
  };
  const timer = setTimeout(end, dropTimeMs);
  request.on('data', (piece: Buffer) => {
    bytesLeft -= piece.length;
    if (bytesLeft < 0) request.pause();
  });
  request.once('close', end);
  request.resume();
}

/** Whether much of the body may still arrive. Node itself drops a short body of known length, and keeps the connection. */
function mustDropBody(request: IncomingMessage): boolean {
  if (request.complete) return false;
  const { 'transfer-encoding': coding, 'content-length': length = 0, expect } = request.headers;
  return coding !== undefined || Number(length) > bodyLimit || expect !== undefined;
}
