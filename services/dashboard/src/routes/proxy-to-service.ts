import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { type Answer, type Call, defineRoute, type Route } from '@expert-relay/kit/http';
import type { ServiceClient } from '@expert-relay/kit/service-client';
import type { Response } from 'express';

export interface Services {
  readonly requests: ServiceClient;
  readonly messages: ServiceClient;
  readonly notifier: ServiceClient;
}

/** A call of the session API that the service which owns the data answers. */
interface Action {
  readonly method: Route['method'];
  readonly path: string;
  readonly service: keyof Services;
  /** The path at that service. Its parameters have the same names as those in `path`. */
  readonly to: string;
}

const actions: readonly Action[] = [
  { method: 'get', path: '/api/requests', service: 'requests', to: '/api/v1/requests' },
  { method: 'get', path: '/api/requests/counts', service: 'requests', to: '/internal/requests/counts' },
  { method: 'get', path: '/api/requests/:id', service: 'messages', to: '/api/v1/messages/:id' },
  {
    method: 'post',
    path: '/api/requests/:id/key-exchange',
    service: 'requests',
    to: '/api/v1/key-exchange/:id',
  },
  { method: 'post', path: '/api/requests/:id/messages', service: 'messages', to: '/api/v1/message/:id' },
  { method: 'post', path: '/api/requests/:id/close', service: 'requests', to: '/api/v1/close/:id' },
  { method: 'get', path: '/api/keys', service: 'requests', to: '/internal/keys' },
  { method: 'post', path: '/api/keys', service: 'requests', to: '/internal/keys' },
  { method: 'put', path: '/api/keys/:id', service: 'requests', to: '/internal/keys/:id' },
  { method: 'delete', path: '/api/keys/:id', service: 'requests', to: '/internal/keys/:id' },
  { method: 'post', path: '/api/keys/:id/rotate', service: 'requests', to: '/internal/keys/:id/rotate' },
  { method: 'post', path: '/api/stream-token', service: 'requests', to: '/api/v1/stream-token' },
  { method: 'get', path: '/api/vault', service: 'requests', to: '/api/v1/vault' },
  { method: 'put', path: '/api/vault', service: 'requests', to: '/api/v1/vault' },
  ...toNotifier('/api/webhooks', '/api/v1/webhooks', [
    ['get', ''],
    ['post', ''],
    ['put', '/:id'],
    ['delete', '/:id'],
    ['post', '/:id/rotate'],
    ['post', '/:id/test'],
    ['get', '/:id/deliveries'],
    ['post', '/:id/deliveries/:deliveryId/resend'],
  ]),
  ...toNotifier('/api/notifications', '/internal/notifications', [
    ['get', ''],
    ['put', ''],
    ['post', '/channels'],
    ['put', '/channels/:channelId'],
    ['delete', '/channels/:channelId'],
    ['post', '/channels/:channelId/test'],
    ['get', '/channels/:channelId/deliveries'],
    ['post', '/channels/:channelId/send-confirmation'],
    ['post', '/channels/:channelId/confirm'],
  ]),
];

function toNotifier(
  from: string,
  to: string,
  calls: readonly (readonly [method: Route['method'], path: string])[],
): Action[] {
  return calls.map(([method, path]) => ({
    method,
    path: `${from}${path}`,
    service: 'notifier',
    to: `${to}${path}`,
  }));
}

/** Routes that call another service with the session's principal, and forward its answer. */
export const proxyToService = (services: Services): readonly Route[] =>
  actions.map(({ method, path, service, to }) =>
    defineRoute({
      method,
      path,
      allow: ['session'],
      takesBody: method === 'get' ? false : 'unparsed',
      async handle(call, response) {
        const { method } = response.req;
        return forwardAnswer(await callService(services[service], { method, to }, call, response));
      },
    }),
  );

export function callService(
  service: ServiceClient,
  { method, to }: { method: string; to: string },
  { principal, callId, params, query, headers, body }: Call<'session'>,
  response: Response,
): Promise<IncomingMessage> {
  const path = to.replace(/:(\w+)/g, (_, name) => encodeURIComponent(params[name] ?? ''));
  return service.call({
    method,
    path: query.size > 0 ? `${path}?${query}` : path,
    route: to,
    principal,
    callId,
    headers: pick(headers, ['content-type', 'if-match', 'traceparent']),
    body: body as Buffer | undefined,
    response,
  });
}

export const forwardAnswer = (answer: IncomingMessage): Answer => ({
  status: answer.statusCode ?? 502,
  headers: pick(answer.headers, ['cache-control', 'content-length', 'content-type', 'etag', 'retry-after']),
  forwarded: answer,
});

function pick(headers: IncomingHttpHeaders, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => (typeof headers[name] === 'string' ? [[name, headers[name]]] : [])),
  );
}
