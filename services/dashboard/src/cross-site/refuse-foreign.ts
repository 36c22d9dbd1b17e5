import { Problem } from '@expert-relay/kit/problem';
import type { RequestHandler } from 'express';

/**
 * Refuses calls that change something and come from another site's page. The cookie is SameSite=Lax
 * besides; this also covers sibling sites and old browsers.
 */
export function refuseForeign(publicUrl: string): RequestHandler {
  const { origin: own, protocol } = new URL(publicUrl);

  return (request, _response, next) => {
    const changes = !['GET', 'HEAD', 'OPTIONS'].includes(request.method);
    if (changes && !(isOwnSite(request.get('sec-fetch-site')) && isOwnOrigin(request))) {
      throw new Problem('foreign_origin');
    }
    next();
  };

  function isOwnOrigin(request: Parameters<RequestHandler>[0]): boolean {
    const origin = request.get('origin');
    if (origin === undefined || origin === own) return true;
    // The same machine under another of its names, such as localhost for 127.0.0.1.
    const host = request.get('x-forwarded-host');
    return host !== undefined && origin === `${protocol}//${host}`;
  }
}

/** Absent from anything but a browser; `none` is the address bar. */
const isOwnSite = (site: string | undefined): boolean =>
  site === undefined || site === 'same-origin' || site === 'none';
