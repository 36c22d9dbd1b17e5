import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import type { ServiceClient, ServiceResponse } from '@expert-relay/kit/service-client';
import type { EdgeResponse, EdgeStep, UpstreamName } from '../call/edge-call.ts';
import type { BodyReceiver } from '../call/receive-body.ts';
import { securityHeaders } from '../response-headers.ts';
import type { BeginTransfer } from './create-transfers.ts';

export type Upstreams = Readonly<Record<UpstreamName, ServiceClient>>;

/** Forwards a request to its service and sends the response on to the client. */
export function forward(options: {
  upstreams: Upstreams;
  bodies: BodyReceiver;
  beginTransfer: BeginTransfer;
}): EdgeStep {
  const { upstreams, bodies, beginTransfer } = options;

  return async (request, response, next) => {
    const { id: callId, route, principal } = response.locals.call;
    if (!route || !principal || route.to === 'gateway') {
      next();
      return;
    }
    const service = upstreams[route.to];
    const body = await bodies.receive(request, response);
    const isForDashboard = route.to === 'dashboard';
    const headers = requestHeaders(request, { withCookies: isForDashboard });
    if (isForDashboard) headers['x-forwarded-host'] = request.headers.host ?? '';
    const { method, url: path } = request;
    const upstreamResponse = await service.call({
      method,
      path,
      route: route.path,
      principal,
      callId,
      headers,
      body,
      clientResponse: response,
    });
    bodies.release(response);
    passOn(upstreamResponse, response, beginTransfer);
  };
}

/**
 * A response of known size up to this one is read at once, so that its client's speed occupies no connection to a service. Of a longer
 * one, the service keeps about as much until the client reads on, and its connection is occupied.
 */
const maxReadAhead = 1_048_576;

function passOn(from: ServiceResponse, response: EdgeResponse, beginTransfer: BeginTransfer): void {
  const isReadAhead = Number(from.headers['content-length']) <= maxReadAhead;
  const transfer = beginTransfer(response, {
    onDrain: () => from.resume(),
    bytesAtService: isReadAhead ? 0 : maxReadAhead,
  });
  response.writeHead(from.statusCode, responseHeaders(from));
  from.on('data', (piece) => {
    if (!transfer.write(piece) && !isReadAhead) from.pause();
  });
  from.once('end', () => transfer.end());
  from.once('error', () => response.destroy());
}

/** Headers that apply to one connection only. */
const hopHeaders = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];

/** Further headers that apply to this connection only: its `Connection` header names them. */
function headersNamedIn(connection: string | undefined): ReadonlySet<string> | undefined {
  if (connection === undefined || connection === 'keep-alive' || connection === 'close') return undefined;
  return new Set(connection.split(',').map((name) => name.trim().toLowerCase()));
}

const droppedFromRequests = new Set([
  ...hopHeaders,
  'host',
  'content-length',
  'expect',
  'http2-settings',
  // The gateway checks the key, and no service needs it.
  'x-api-key',
  'forwarded',
  'x-real-ip',
]);

/** The headers of a request that the service gets, before the gateway adds its own. */
function requestHeaders(
  { headers }: IncomingMessage,
  options: { withCookies: boolean },
): OutgoingHttpHeaders {
  const connectionHeaders = headersNamedIn(headers.connection);
  const result: OutgoingHttpHeaders = {};
  for (const name in headers) {
    if (droppedFromRequests.has(name) || connectionHeaders?.has(name)) continue;
    // Only the gateway may set these.
    if (name.startsWith('x-relay-') || name.startsWith('x-forwarded-')) continue;
    // Only the dashboard has sessions.
    if (name === 'cookie' && !options.withCookies) continue;
    result[name] = headers[name];
  }
  return result;
}

const droppedFromResponses = new Set([
  ...hopHeaders,
  ...Object.keys(securityHeaders),
  'vary',
  'x-request-id',
  'x-powered-by',
]);
// The service knows what a page loads, so the page's policy replaces the general one.
droppedFromResponses.delete('content-security-policy');

/** The headers of a service's response that the client gets, in addition to those that the gateway has set. */
function responseHeaders({ headers }: ServiceResponse): OutgoingHttpHeaders {
  const connectionHeaders = headersNamedIn(headers.connection);
  const result: OutgoingHttpHeaders = {};
  for (const name in headers) {
    if (droppedFromResponses.has(name) || connectionHeaders?.has(name)) continue;
    if (name.startsWith('x-relay-') || name.startsWith('access-control-')) continue;
    result[name] = headers[name];
  }
  if (headers.vary !== undefined) result.vary = `Origin, ${headers.vary}`;
  return result;
}
