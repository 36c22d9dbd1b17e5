import type { IncomingHttpHeaders } from 'node:http';
import { type Call, defineRoute, type Route, type RouteResponse } from '@expert-relay/kit/http';
import type { ServiceClient, ServiceResponse } from '@expert-relay/kit/service-client';
import type { Response } from 'express';
import { serviceCalls } from '../generated/service-calls.ts';

export interface Services {
  readonly requests: ServiceClient;
  readonly messages: ServiceClient;
  readonly notifier: ServiceClient;
}

/** A call of the session API that the service which owns the data handles. */
interface ProxiedCall {
  readonly method: Route['method'];
  readonly path: string;
  readonly service: keyof Services;
  /** The path at that service. Its parameters have the same names as those in `path`. */
  readonly to: string;
}

/** Made by `npm run generate` from the `x-service` and `x-service-path` of docs/openapi.yaml. */
const calls: readonly ProxiedCall[] = serviceCalls;

/** Routes that call another service with the session's principal, and forward its response. */
export const proxyToService = (services: Services): readonly Route[] =>
  calls.map(({ method, path, service, to }) =>
    defineRoute({
      method,
      path,
      allow: ['session'],
      takesBody: method === 'get' ? false : 'unparsed',
      async handle(call, response) {
        const { method } = response.req;
        return forwardResponse(await callService(services[service], { method, to }, call, response));
      },
    }),
  );

export function callService(
  service: ServiceClient,
  { method, to }: { method: string; to: string },
  { principal, callId, params, query, headers, body }: Call<'session'>,
  response: Response,
): Promise<ServiceResponse> {
  const path = to.replace(/:(\w+)/g, (_, name) => encodeURIComponent(params[name] ?? ''));
  return service.call({
    method,
    path: query.size > 0 ? `${path}?${query}` : path,
    route: to,
    principal,
    callId,
    headers: pick(headers, ['content-type', 'if-match', 'traceparent']),
    body: body as Buffer | undefined,
    clientResponse: response,
  });
}

export const forwardResponse = (response: ServiceResponse): RouteResponse => ({
  status: response.statusCode,
  headers: pick(response.headers, ['cache-control', 'content-length', 'content-type', 'etag', 'retry-after']),
  forwarded: response,
});

function pick(headers: IncomingHttpHeaders, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => (typeof headers[name] === 'string' ? [[name, headers[name]]] : [])),
  );
}
