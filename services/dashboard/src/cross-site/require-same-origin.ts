import { siteOrigins } from '@expert-relay/kit/config';
import { Problem } from '@expert-relay/kit/problem';
import type { RequestHandler } from 'express';

/**
 * Refuses calls that change something and come from another site's page. The cookie is SameSite=Lax besides;
 * this also covers sibling sites, old browsers and calls that need no cookie.
 *
 * `Origin` is compared with the configured origins only. The request's own Host is no proof: a page of
 * attacker.example whose name is rebound to this machine sends both alike.
 */
export function requireSameOrigin(publicUrl: string): RequestHandler {
  const origins = new Set<string | undefined>([undefined, ...siteOrigins(publicUrl)]);

  return (request, _response, next) => {
    const changes = !['GET', 'HEAD', 'OPTIONS'].includes(request.method);
    const isSameOrigin = origins.has(request.get('origin')) && isSameSite(request.get('sec-fetch-site'));
    if (changes && !isSameOrigin) throw new Problem('foreign_origin');
    next();
  };
}

/** Absent from callers that are no browser; `none` is the address bar. */
const isSameSite = (site: string | undefined): boolean =>
  site === undefined || site === 'same-origin' || site === 'none';
