import type { IncomingMessage, ServerResponse } from 'node:http';
import { bodyLimit } from '@expert-relay/kit/http';
import { formatProblem, type Problem, sendProblem } from '@expert-relay/kit/problem';

const drainedBytes = 16 * bodyLimit;
const drainedTime = 2_000;

/**
 * Answers a problem although the call's body may still be coming. A connection that is closed on
 * unread bytes is reset, and the client would never see why: so what comes is read and thrown away for
 * a while, and only then the connection is closed. Of a client that floods no more is read than so much: it
 * comes to a halt, and gets around to reading.
 */
export function sendRefusal(response: ServerResponse, problem: Problem): void {
  const request = response.req;
  if (response.headersSent || !isOpenEnded(request)) {
    sendProblem(response, problem);
    return;
  }
  const { status, headers, body } = formatProblem(problem);
  response.writeHead(status, { ...headers, connection: 'close' });
  // An answer to HEAD has no body that would take its head along.
  response.flushHeaders();
  response.write(body);

  let left = drainedBytes;
  const end = () => {
    clearTimeout(timer);
    response.end();
  };
  const timer = setTimeout(end, drainedTime);
  request.on('data', (piece: Buffer) => {
    left -= piece.length;
    if (left < 0) request.pause();
  });
  request.once('close', end);
  request.resume();
}

/** A short body that says its length is read away by Node itself, and the connection goes on. */
function isOpenEnded(request: IncomingMessage): boolean {
  if (request.complete) return false;
  const { 'transfer-encoding': coding, 'content-length': length = 0, expect } = request.headers;
  return coding !== undefined || Number(length) > bodyLimit || expect !== undefined;
}
