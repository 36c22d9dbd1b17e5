import type { Request, Response } from 'express';
import { type CookieSettings, createSignedCookie } from './signed-cookie.ts';

/** Remembers the page that a person wanted to open before the sign-in. */
export interface ReturnTo {
  /** Stores the path if a person opens it. Calls of a page are not stored, since the page repeats them. */
  remember(request: Request, response: Response): void;
  /** Returns the path to open after the sign-in, and deletes it. */
  take(request: Request, response: Response): string;
}

const start = '/dashboard';
const lifetimeMs = 15 * 60_000;
/** Browsers drop cookies of more than 4 KB. */
const maxPathLength = 2_000;

export function createReturnTo(settings: CookieSettings): ReturnTo {
  const cookie = createSignedCookie<string>({ ...settings, name: 'relay_return_to', maxAgeMs: lifetimeMs });

  return {
    remember(request, response) {
      const path = dashboardPath(request.originalUrl);
      if (path === undefined || path === start || path.length > maxPathLength) return;
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

/** Browsers send `Sec-Fetch-Mode` only over https and to this machine. */
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
