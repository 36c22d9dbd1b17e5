import type { IncomingMessage } from 'node:http';
import { bodyLimit, checkHost } from '@expert-relay/kit/http';
import { Problem } from '@expert-relay/kit/problem';
import type { EdgeStep } from './edge-call.ts';

/** Refuses what has no place here, is not framed clearly, or says itself that it is too large. */
export const checkCall: EdgeStep = (request, response, next) => {
  checkHead(request);
  const { call } = response.locals;
  if (!call.place) throw new Problem('not_found');
  if (request.method === 'OPTIONS') {
    response.writeHead(204, { allow: call.place.allow }).end();
    return;
  }
  if (!call.route) throw new Problem('method_not_allowed', { headers: { allow: call.place.allow } });
  if (Number(request.headers['content-length']) > bodyLimit) throw new Problem('payload_too_large');
  next();
};

const mostHeaders = 100;

function checkHead(request: IncomingMessage): void {
  // Node leaves out what comes after the 2,000th, be it the length of the body.
  if (request.rawHeaders.length > 2 * mostHeaders) throw new Problem('headers_too_large');
  checkHost(request);
  const { 'transfer-encoding': coding = 'chunked' } = request.headers;
  if (coding.toLowerCase() !== 'chunked') {
    throw new Problem('invalid_request', { detail: 'Send the body with a Content-Length, or chunked.' });
  }
}
