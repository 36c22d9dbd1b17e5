import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { preflightHeaders } from '@expert-relay/kit/http';
import helmet from 'helmet';
import type { EdgeStep } from './call/edge-call.ts';

/** The five headers of the contract, and no others. */
const protections = [
  helmet.contentSecurityPolicy({
    useDefaults: false,
    directives: {
      defaultSrc: ["'self'"],
      baseUri: ["'none'"],
      formAction: ["'self'"],
      frameAncestors: ["'none'"],
      objectSrc: ["'none'"],
    },
  }),
  helmet.referrerPolicy({ policy: 'origin-when-cross-origin' }),
  helmet.strictTransportSecurity({ maxAge: 31_536_000, includeSubDomains: false }),
  helmet.xContentTypeOptions(),
  helmet.xFrameOptions({ action: 'deny' }),
];

/** Made once, since they are the same for each call. They are also written into refusals without Express. */
export const securityHeaders: Readonly<Record<string, string>> = makeSecurityHeaders();

function makeSecurityHeaders(): Record<string, string> {
  const response = new ServerResponse(new IncomingMessage(new Socket()));
  for (const protect of protections) protect(response.req, response, () => {});
  return response.getHeaders() as Record<string, string>;
}

export const setSecurityHeaders: EdgeStep = (_request, response, next) => {
  for (const name in securityHeaders) response.setHeader(name, securityHeaders[name] as string);
  next();
};

/** The headers that scripts may read in addition to those that browsers always expose. */
const exposedHeaders =
  'Retry-After, RateLimit, RateLimit-Policy, Idempotent-Replayed, ETag, Relay-Hub, Relay-Position, x-request-id';

/** CORS: pages of the given origins may call with a key. Pages of other origins cannot read the responses. Answers preflights. */
export function allowOrigins(origins: readonly string[]): EdgeStep {
  const allowed = new Set(origins.map((origin) => new URL(origin).origin));

  return (request, response, next) => {
    const { origin } = request.headers;
    const isAllowed = origin !== undefined && allowed.has(origin);
    response.setHeader('vary', 'Origin');
    if (isAllowed) {
      response.setHeader('access-control-allow-origin', origin);
      response.setHeader('access-control-expose-headers', exposedHeaders);
    }
    if (request.method !== 'OPTIONS' || !request.headers['access-control-request-method']) {
      next();
      return;
    }
    response.locals.route = 'preflight';
    response.locals.limitsLines = true;
    response.writeHead(204, isAllowed ? preflightHeaders : {}).end();
  };
}
