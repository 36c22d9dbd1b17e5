import type { IncomingMessage } from 'node:http';
import { bodyLimit, checkHost, hasBody, isRead } from '@expert-relay/kit/http';
import { Problem } from '@expert-relay/kit/problem';
import type { EdgeStep } from './edge-call.ts';

/**
 * Refuses calls with an ambiguous head, without a route, or with a body that is declared too large. Answers OPTIONS.
 *
 * A GET with a body is refused and not served without it: fetch and browsers cannot send one, so its client has made an
 * error that the response explains, and a proxy in front may read such a body as the next request (RFC 9110, 9.3.1).
 */
export const checkCall: EdgeStep = (request, response, next) => {
  checkHead(request);
  const { pathRoutes, route } = response.locals.call;
  if (!pathRoutes) throw new Problem('not_found');
  if (request.method === 'OPTIONS') {
    response.writeHead(204, { allow: pathRoutes.allow }).end();
    return;
  }
  if (!route) throw new Problem('method_not_allowed', { headers: { allow: pathRoutes.allow } });
  if (isRead(request.method) && hasBody(request)) {
    throw new Problem('invalid_request', {
      detail: 'A GET or HEAD call has no body: send parameters in the query.',
    });
  }
  if (Number(request.headers['content-length']) > bodyLimit) throw new Problem('payload_too_large');
  next();
};

const maxHeaders = 100;

function checkHead(request: IncomingMessage): void {
  // Node drops headers after the 1,000th, and one of them could be the length of the body.
  if (request.rawHeaders.length > 2 * maxHeaders)
    throw new Problem('headers_too_large', { headers: { connection: 'close' } });
  checkHost(request);
  const { 'transfer-encoding': coding = 'chunked' } = request.headers;
  // HTTP/1.0 has no chunks: a proxy in front may have read another body.
  const isOld = request.httpVersion === '1.0' && request.headers['transfer-encoding'] !== undefined;
  if (isOld || coding.toLowerCase() !== 'chunked') {
    throw new Problem('invalid_request', { detail: 'Send the body with a Content-Length, or chunked.' });
  }
}
