import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { bodyLimit, type ClientAddress, checkHost } from '@expert-relay/kit/http';
import { Problem } from '@expert-relay/kit/problem';
import type { EdgeStep } from './edge-call.ts';
import { plainPath, type RouteFinder } from './route-finder.ts';

/** Sets the id, the trace, the client and the route of a call. An id that the client sent is not used. */
export function identifyCall(options: { clientAddress: ClientAddress; findRoutes: RouteFinder }): EdgeStep {
  const { clientAddress, findRoutes } = options;

  return (request, response, next) => {
    const id = randomUUID();
    const plain = plainPath(request.url);
    const path = plain === undefined ? undefined : findRoutes(plain);

    request.headers['x-request-id'] = id;
    followTrace(request.headers, id);
    response.setHeader('x-request-id', id);
    response.locals.call = {
      id,
      client: clientAddress(request),
      path,
      route: path?.byMethod.get(request.method),
    };
    response.locals.route = path?.template ?? 'none';
    next();
  };
}

/** Refuses calls without a route, with ambiguous framing, or with a body that is declared too large. */
export const checkCall: EdgeStep = (request, response, next) => {
  checkHead(request);
  const { path, route } = response.locals.call;
  if (!path) throw new Problem('not_found');
  if (request.method === 'OPTIONS') {
    response.writeHead(204, { allow: path.allow }).end();
    return;
  }
  if (!route) throw new Problem('method_not_allowed', { headers: { allow: path.allow } });
  if (Number(request.headers['content-length']) > bodyLimit) throw new Problem('payload_too_large');
  next();
};

const wellFormedTrace = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** Keeps the caller's trace (W3C), or begins one with the call's id, so that each can be found by the other. */
function followTrace(headers: IncomingHttpHeaders, callId: string): void {
  if (typeof headers.traceparent === 'string' && wellFormedTrace.test(headers.traceparent)) return;
  const digits = callId.replaceAll('-', '');
  headers.traceparent = `00-${digits}-${digits.slice(16)}-00`;
  delete headers.tracestate;
}

const mostHeaders = 100;

function checkHead(request: IncomingMessage): void {
  // Node drops headers after the 2,000th, which could be the length of the body.
  if (request.rawHeaders.length > 2 * mostHeaders) throw new Problem('headers_too_large');
  checkHost(request);
  const { 'transfer-encoding': coding = 'chunked' } = request.headers;
  if (coding.toLowerCase() !== 'chunked') {
    throw new Problem('invalid_request', { detail: 'Send the body with a Content-Length, or chunked.' });
  }
}
