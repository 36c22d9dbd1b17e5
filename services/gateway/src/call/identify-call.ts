import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { ClientAddress } from '@expert-relay/kit/http';
import type { EdgeStep } from './edge-call.ts';
import { plainPath, type RouteFinder } from './route-finder.ts';

/**
 * Sets the id, the trace, the client and the route of a call. Id and trace replace the client's headers, since the log and
 * the forwarding read them from there.
 */
export function identifyCall(options: { clientAddress: ClientAddress; findRoutes: RouteFinder }): EdgeStep {
  const { clientAddress, findRoutes } = options;

  return (request, response, next) => {
    const id = randomUUID();
    const path = plainPath(request.url);
    const pathRoutes = path === undefined ? undefined : findRoutes(path);

    request.headers['x-request-id'] = id;
    setTrace(request.headers, id);
    response.setHeader('x-request-id', id);
    response.locals.call = {
      id,
      client: clientAddress(request),
      pathRoutes,
      route: pathRoutes?.byMethod.get(request.method),
    };
    response.locals.route = pathRoutes?.template ?? 'none';
    next();
  };
}

const validTraceparent = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** Keeps the client's trace (W3C), or begins one whose id is made from the call's id. */
function setTrace(headers: IncomingHttpHeaders, callId: string): void {
  if (typeof headers.traceparent === 'string' && validTraceparent.test(headers.traceparent)) return;
  const digits = callId.replaceAll('-', '');
  headers.traceparent = `00-${digits}-${digits.slice(16)}-00`;
  delete headers.tracestate;
}
