import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import {
  type ClientAddress,
  checkHost,
  finalStatus,
  hasBody,
  isRead,
  type ObservedCall,
  preflightHeaders,
} from '@expert-relay/kit/http';
import type { Log } from '@expert-relay/kit/log';
import { Problem, sendProblem } from '@expert-relay/kit/problem';
import { connectionOf } from './detachable-socket.ts';

/** What is logged and measured of a call, besides its status and duration. */
export interface HubCall {
  readonly id: string;
  route: string;
  readonly client: string;
  /** The credential of its stream: `key`, `session` or `none`. */
  caller: string;
}

/** GET and HEAD of the hub's one address. */
export type StreamEvents = (
  request: IncomingMessage,
  response: ServerResponse,
  query: URLSearchParams,
  call: HubCall,
) => Promise<void>;

/** The hub responds under its bare address and under `/hub`, so that it can share a host with the gateway. */
const paths = new Set(['/', '/hub', '/hub/']);
const methods = 'GET, HEAD, OPTIONS';

/** The gateway's, by hand: only the policy differs, since the hub serves no page. */
export const securityHeaders = {
  'strict-transport-security': 'max-age=31536000',
  'x-frame-options': 'DENY',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'origin-when-cross-origin',
};

export function createHandler(options: {
  streamEvents: StreamEvents;
  /** The origins whose pages may read responses. */
  origins: readonly string[];
  addressOf: ClientAddress;
  record: (call: ObservedCall) => void;
  log: Log;
}): RequestListener {
  const { streamEvents, addressOf, record, log } = options;
  const origins = new Set(options.origins.map((origin) => new URL(origin).origin));

  async function respond(request: IncomingMessage, response: ServerResponse, call: HubCall): Promise<void> {
    const [path = '', query = ''] = splitOnce(request.url ?? '', '?');
    if (!paths.has(path)) throw new Problem('not_found');
    call.route = '/';
    checkHost(request);
    if (request.method === 'OPTIONS') return respondToOptions(response);
    if (!isRead(request.method)) {
      throw new Problem('method_not_allowed', { headers: { allow: methods } });
    }
    if (hasBody(request)) throw new Problem('invalid_request', { detail: 'This request takes no body.' });
    await streamEvents(request, response, new URLSearchParams(query), call);
  }

  return (request, response) => {
    const connection = connectionOf(request);
    const start = performance.now();
    const call: HubCall = { id: randomUUID(), client: addressOf(request), route: 'none', caller: 'none' };
    response.once('close', () => {
      const { id: callId, ...labels } = call;
      const status = connection.isDetached ? 200 : finalStatus(response);
      const limitsLines = call.caller === 'none';
      const ms = performance.now() - start;
      record({ callId, method: request.method ?? '', ...labels, status, ms, limitsLines });
    });
    setCommonHeaders(response, origins);
    response.setHeader('x-request-id', call.id);
    // The rest of a body is not read.
    if (hasBody(request)) response.setHeader('connection', 'close');
    respond(request, response, call).catch((error: unknown) => {
      // Logged as `err`, whose secrets are removed: its text could contain an address with a token.
      if (!(error instanceof Problem))
        log.error({ callId: call.id, err: error }, 'a call failed unexpectedly');
      sendProblem(response, error instanceof Problem ? error : new Problem('internal'));
    });
  };
}

function setCommonHeaders(response: ServerResponse, origins: ReadonlySet<string>): void {
  const { origin } = response.req.headers;
  for (const [name, value] of Object.entries(securityHeaders)) response.setHeader(name, value);
  response.setHeader('vary', 'Origin');
  if (origin === undefined || !origins.has(origin)) return;
  response.setHeader('access-control-allow-origin', origin);
  response.setHeader('access-control-expose-headers', 'Retry-After, x-request-id');
}

/** A plain OPTIONS gets the methods; a preflight from an allowed origin gets the methods and headers of the contract. */
function respondToOptions(response: ServerResponse): void {
  const isPreflight = response.req.headers['access-control-request-method'] !== undefined;
  if (!isPreflight) response.setHeader('allow', methods);
  const isAllowed = response.hasHeader('access-control-allow-origin');
  response.writeHead(204, isPreflight && isAllowed ? preflightHeaders : {}).end();
}

function splitOnce(text: string, separator: string): string[] {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}
