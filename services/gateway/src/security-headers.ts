import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import helmet from 'helmet';
import type { EdgeStep } from './edge-call.ts';

// The contract's five headers and no others.
const protect = helmet({
  strictTransportSecurity: { maxAge: 31_536_000, includeSubDomains: false },
  xFrameOptions: { action: 'deny' },
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      defaultSrc: ["'self'"],
      baseUri: ["'none'"],
      formAction: ["'self'"],
      frameAncestors: ["'none'"],
      objectSrc: ["'none'"],
    },
  },
  xContentTypeOptions: true,
  referrerPolicy: { policy: 'origin-when-cross-origin' },
  crossOriginEmbedderPolicy: false,
  crossOriginOpenerPolicy: false,
  crossOriginResourcePolicy: false,
  originAgentCluster: false,
  xDnsPrefetchControl: false,
  xDownloadOptions: false,
  xPermittedCrossDomainPolicies: false,
  xPoweredBy: false,
  xXssProtection: false,
});

/** The same for every call, so they are made once; refusals that are written past Express carry them too. */
export const securityHeaders: Readonly<Record<string, string>> = record();

function record(): Record<string, string> {
  const response = new ServerResponse(new IncomingMessage(new Socket()));
  protect(response.req, response, () => {});
  return response.getHeaders() as Record<string, string>;
}

export const setSecurityHeaders: EdgeStep = (_request, response, next) => {
  for (const name in securityHeaders) response.setHeader(name, securityHeaders[name] as string);
  next();
};
