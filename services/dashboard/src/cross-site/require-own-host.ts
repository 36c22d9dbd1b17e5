import { isLoopback, siteOrigins } from '@expert-relay/kit/config';
import { Problem } from '@expert-relay/kit/problem';
import type { RequestHandler } from 'express';

/**
 * Refuses calls of a local run whose `Host` is not one of its own addresses. A page of attacker.example whose
 * name is rebound to 127.0.0.1 is of the same origin as what it gets here, so it could read every answer.
 * Elsewhere the reverse proxy decides which hosts lead here.
 */
export function requireOwnHost(publicUrl: string): RequestHandler {
  if (!isLoopback(new URL(publicUrl).hostname)) return (_request, _response, next) => next();
  const origins = siteOrigins(publicUrl);
  const hosts = new Set(origins.map((origin) => new URL(origin).host));

  return (request, _response, next) => {
    // The gateway sets this to the Host of the call, and drops the header of that name that a client sent.
    const host = request.get('x-forwarded-host')?.toLowerCase() ?? '';
    if (!hosts.has(host)) {
      throw new Problem('foreign_host', {
        detail:
          `This relay runs for this machine only: open it at ${origins.join(' or ')}. ` +
          'If this address is meant to work, set RELAY_PUBLIC_URL to it.',
      });
    }
    next();
  };
}
