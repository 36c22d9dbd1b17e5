import { randomUUID } from 'node:crypto';
import type { ClientAddress } from '@expert-relay/kit/http';
import type { EdgeStep } from './edge-call.ts';
import { followTrace } from './follow-trace.ts';
import { plainPath } from './target/plain-path.ts';
import type { RouteFinder } from './target/route-finder.ts';

/** Gives a call its id, its trace, its sender and its place. Whatever a client says of its id is not believed. */
export function identifyCall(options: { clientAddress: ClientAddress; findPlace: RouteFinder }): EdgeStep {
  const { clientAddress, findPlace } = options;

  return (request, response, next) => {
    const id = randomUUID();
    const path = plainPath(request.url);
    const place = path === undefined ? undefined : findPlace(path);
    const route = place?.byMethod.get(request.method);

    request.headers['x-request-id'] = id;
    followTrace(request.headers, id);
    response.setHeader('x-request-id', id);
    response.locals.call = { id, client: clientAddress(request), place, route };
    response.locals.route = place?.template ?? 'none';
    next();
  };
}
