import type { EdgeRoute, PathRoutes } from './edge-call.ts';

export type RouteFinder = (path: string) => PathRoutes | undefined;

/** Finds the routes of a path: first the path itself, then the first pattern in the table's order that matches. */
export function createRouteFinder(routes: readonly EdgeRoute[]): RouteFinder {
  const templates = [...new Set(routes.map(({ path }) => path))];
  const exact = new Map<string, PathRoutes>();
  const patterns: { pattern: RegExp; pathRoutes: PathRoutes }[] = [];
  for (const template of templates) {
    const pathRoutes = routesOf(template, routes);
    if (/[:*]/.test(template)) patterns.push({ pattern: patternOf(template), pathRoutes });
    else exact.set(template, pathRoutes);
  }
  return (path) => exact.get(path) ?? patterns.find(({ pattern }) => pattern.test(path))?.pathRoutes;
}

function routesOf(template: string, routes: readonly EdgeRoute[]): PathRoutes {
  const byMethod = new Map<string, EdgeRoute>();
  for (const route of routes) {
    if (route.path !== template) continue;
    byMethod.set(route.method, route);
    if (route.method === 'GET') byMethod.set('HEAD', route);
  }
  return { template, byMethod, allow: [...byMethod.keys(), 'OPTIONS'].join(', ') };
}

function patternOf(template: string): RegExp {
  return new RegExp(`^${template.replace(/:\w+/g, '[^/]+').replace(/\*$/, '.*')}$`);
}

// No segment begins with a dot, except `.well-known` at the beginning: so there are no dot segments and no hidden files.
const plainPattern = /^(?=\/)(?:\/\.well-known(?=\/))?(?:\/[\w\-~!$&'()*+,=:@%][\w\-~!$&'()*+,=:@%.]*)*\/?$/;
// An escape without two hexadecimal digits, or one that changes the structure of the decoded path: control characters,
// `%`, `.`, `/`, `\`.
const badEscape = /%(?![0-9a-f]{2})|%(?:[01][0-9a-f]|2[5ef]|5c|7f)/i;

/**
 * The path of a request's target, if every parser reads it in the same way; undefined for other targets. The target is
 * matched and forwarded unchanged, so a path must have only one spelling.
 */
export function plainPath(target: string): string | undefined {
  const query = target.indexOf('?');
  const path = query < 0 ? target : target.slice(0, query);
  if (!plainPattern.test(path) || target.includes('#')) return undefined;
  return path.includes('%') && !canDecode(path) ? undefined : path;
}

function canDecode(path: string): boolean {
  if (badEscape.test(path)) return false;
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}
