import { isLoopback, siteOrigins } from '@expert-relay/kit/config';
import { requireCaller } from '@expert-relay/kit/http';
import { type PrincipalGuard, principalHeader } from '@expert-relay/kit/principal';
import { Problem } from '@expert-relay/kit/problem';
import type { RequestHandler } from 'express';
import type { ReturnTo } from './cookies/return-to.ts';

/** Accepts only calls that came through the gateway, and uses their call id. */
export const requireGatewayPrincipal =
  (requirePrincipal: PrincipalGuard): RequestHandler =>
  (request, response, next) => {
    // The gateway's health check sends no principal. It must not count as a refused call.
    const isCheck = request.get(principalHeader) === undefined && request.method === 'HEAD';
    if (isCheck) throw new Problem('unauthorized');
    response.locals.callId = requireCaller(request, requirePrincipal).callId;
    next();
  };

/**
 * Refuses calls of a local run whose `Host` is not one of its own addresses. A page of attacker.example whose
 * name is rebound to 127.0.0.1 has the same origin as the responses that it gets here, so it could read them.
 * In a deployed relay, the reverse proxy decides which hosts are accepted.
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

/**
 * Refuses calls that change something and come from a page of another site. The cookie is SameSite=Lax too, but this
 * also covers sibling sites, old browsers and calls that need no cookie.
 *
 * `Origin` is compared only with the configured origins. The Host of the request proves nothing: a page of
 * attacker.example whose name is rebound to this machine sends the same name in both.
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

/** Only browsers send it. `none`: the user typed the address. */
const isSameSite = (site: string | undefined): boolean =>
  site === undefined || site === 'same-origin' || site === 'none';

/** Redirects people who are not signed in to the sign-in page. */
export const requireSession =
  (returnTo: ReturnTo): RequestHandler =>
  (request, response, next) => {
    if (request.user) {
      next();
      return;
    }
    returnTo.remember(request, response);
    response.set('cache-control', 'no-store').redirect('/auth/login');
  };

/** Redirects users who are signed in from the sign-in pages to the dashboard. */
export const leaveSignIn: RequestHandler = (request, response, next) => {
  if (request.user) response.redirect('/dashboard');
  else next();
};
