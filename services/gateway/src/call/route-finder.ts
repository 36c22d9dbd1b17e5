import type { EdgeRoute, PathRoutes } from './edge-call.ts';

export type RouteFinder = (path: string) => PathRoutes | undefined;

/** Finds the routes of a path: paths without a pattern by a map, then patterns in the table's order. */
export function createRouteFinder(routes: readonly EdgeRoute[]): RouteFinder {
  const templates = [...new Set(routes.map(({ path }) => path))];
  const exact = new Map<string, PathRoutes>();
  const patterns: { pattern: RegExp; found: PathRoutes }[] = [];
  for (const template of templates) {
    const found = routesOf(template, routes);
    if (/[:*]/.test(template)) patterns.push({ pattern: patternOf(template), found });
    else exact.set(template, found);
  }
  return (path) => exact.get(path) ?? patterns.find(({ pattern }) => pattern.test(path))?.found;
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

// Every segment but `.well-known` begins with another character than a dot: no dot segments, no hidden files.
const plain = /^(?=\/)(?:\/\.well-known(?=\/))?(?:\/[\w\-~!$&'()*+,=:@%][\w\-~!$&'()*+,=:@%.]*)*\/?$/;
// Not two hexadecimal digits, or an escape that changes the structure of the decoded path: control characters, `%`,
// `.`, `/`, `\`.
const badEscape = /%(?![0-9a-f]{2})|%(?:[01][0-9a-f]|2[5ef]|5c|7f)/i;

/**
 * The path of a request's target, if every parser reads it the same way. The target is matched and forwarded
 * unchanged, so there must be only one way to write a path.
 */
export function plainPath(target: string): string | undefined {
  const query = target.indexOf('?');
  const path = query < 0 ? target : target.slice(0, query);
  if (!plain.test(path) || target.includes('#')) return undefined;
  return path.includes('%') && !decodes(path) ? undefined : path;
}

function decodes(path: string): boolean {
  if (badEscape.test(path)) return false;
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}
