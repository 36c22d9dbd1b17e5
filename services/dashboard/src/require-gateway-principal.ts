import { type PrincipalVerifier, principalHeader } from '@expert-relay/kit/principal';
import { Problem } from '@expert-relay/kit/problem';
import type { RequestHandler } from 'express';

/** Accepts only calls that came through the gateway, and takes over their call id. */
export const requireGatewayPrincipal =
  (verify: PrincipalVerifier): RequestHandler =>
  (request, response, next) => {
    const stated = verify(request.get(principalHeader), {
      method: request.method,
      path: request.originalUrl,
    });
    if (!stated) throw new Problem('unauthorized');
    response.locals.callId = stated.callId;
    next();
  };
