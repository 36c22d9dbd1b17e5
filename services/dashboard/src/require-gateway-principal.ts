import { type PrincipalGuard, principalHeader } from '@expert-relay/kit/principal';
import { Problem } from '@expert-relay/kit/problem';
import type { RequestHandler } from 'express';

/** Accepts only calls that came through the gateway, and takes over their call id. */
export const requireGatewayPrincipal =
  (requirePrincipal: PrincipalGuard): RequestHandler =>
  (request, response, next) => {
    const header = request.get(principalHeader);
    // The gateway's health check asks without a principal whether anything answers: nothing to count.
    if (header === undefined && request.method === 'HEAD') throw new Problem('unauthorized');
    const { callId } = requirePrincipal(header, { method: request.method, path: request.originalUrl });
    response.locals.callId = callId;
    next();
  };
