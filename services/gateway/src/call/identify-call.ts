import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { ClientAddress } from '@expert-relay/kit/http';
import { isTraceparent, type Tracing } from '@expert-relay/kit/tracing';
import type { EdgeStep } from './edge-call.ts';
import { plainPath, type RouteFinder } from './route-finder.ts';

/**
 * Sets the id, the trace, the client and the route of a call. Id and trace replace the client's headers, since the log and
 * the forwarding read them from there.
 */
export function identifyCall(options: {
  clientAddress: ClientAddress;
  findRoutes: RouteFinder;
  tracing: Pick<Tracing, 'isOn' | 'followsCallers'>;
}): EdgeStep {
  const { clientAddress, findRoutes, tracing } = options;

  return (request, response, next) => {
    const id = randomUUID();
    const path = plainPath(request.url);
    const pathRoutes = path === undefined ? undefined : findRoutes(path);

    request.headers['x-request-id'] = id;
    response.locals.isForeignTrace = tracing.followsCallers && isTraceparent(request.headers.traceparent);
    if (!response.locals.isForeignTrace) beginTrace(request.headers, tracing.isOn ? undefined : id);
    response.setHeader('x-request-id', id);
    const client = clientAddress(request);
    const route = pathRoutes?.byMethod.get(request.method);
    response.locals.call = { id, client, pathRoutes, route };
    response.locals.client = client;
    response.locals.limitsLines = route?.limit === 'none';
    response.locals.route = pathRoutes?.template ?? 'none';
    next();
  };
}

/** Begins a trace (W3C) whose id is made from the call's id. Without an id, `observeCalls` begins it. */
function beginTrace(headers: IncomingHttpHeaders, callId: string | undefined): void {
  const digits = callId?.replaceAll('-', '');
  headers.traceparent = digits && `00-${digits}-${digits.slice(16)}-00`;
  delete headers.tracestate;
}
