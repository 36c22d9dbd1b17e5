import type { Request, Response } from 'express';
import { type CookieSettings, createSealedCookie } from './sealed-cookie.ts';

/** Where the person wanted to go before the sign-in. */
export interface ReturnTo {
  /** Keeps the path if a person opens it: what a page fetches is fetched again by that page. */
  remember(request: Request, response: Response): void;
  /** The path to go to after the sign-in; forgets it. */
  take(request: Request, response: Response): string;
}

const start = '/dashboard';
const lifetimeMs = 15 * 60_000;
/** Browsers drop cookies of more than 4 KB. */
const longestPath = 2_000;

export function createReturnTo(settings: CookieSettings): ReturnTo {
  const cookie = createSealedCookie<string>({ ...settings, name: 'relay_return_to', maxAgeMs: lifetimeMs });

  return {
    remember(request, response) {
      const path = dashboardPath(request.originalUrl);
      if (path === undefined || path === start || path.length > longestPath) return;
      if (isNavigation(request)) cookie.set(response, path);
    },
    take(request, response) {
      const path = cookie.read(request);
      if (path === undefined) return start;
      cookie.clear(response);
      return dashboardPath(path) ?? start;
    },
  };
}

/** Browsers send `Sec-Fetch-Mode` on https and to this machine only. */
function isNavigation(request: Request): boolean {
  const mode = request.get('sec-fetch-mode');
  if (mode !== undefined) return mode === 'navigate';
  return (request.get('accept') ?? '').includes('text/html');
}

/** A path of the dashboard on this host, as a browser would resolve it; `undefined` for any other address. */
function dashboardPath(target: string): string | undefined {
  const base = 'http://relay.invalid';
  if (!URL.canParse(target, base)) return undefined;
  const { origin, pathname, search } = new URL(target, base);
  const isBelow = pathname === start || pathname.startsWith(`${start}/`);
  return origin === base && isBelow ? pathname + search : undefined;
}
