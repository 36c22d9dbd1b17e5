import type { EdgeRoute } from '../edge-route.ts';

/** All that is said about one path. */
export interface Place {
  /** As the table writes it: the label of metrics and access lines. */
  readonly template: string;
  readonly byMethod: ReadonlyMap<string, EdgeRoute>;
  /** The value of an `Allow` header. */
  readonly allow: string;
}

export type RouteFinder = (path: string) => Place | undefined;

/** Finds a path's place among the routes: plain paths at once, then patterns in the table's order. */
export function createRouteFinder(routes: readonly EdgeRoute[]): RouteFinder {
  const templates = [...new Set(routes.map(({ path }) => path))];
  const plain = new Map<string, Place>();
  const patterns: { pattern: RegExp; place: Place }[] = [];
  for (const template of templates) {
    const place = placeOf(template, routes);
    if (/[:*]/.test(template)) patterns.push({ pattern: patternOf(template), place });
    else plain.set(template, place);
  }
  return (path) => plain.get(path) ?? patterns.find(({ pattern }) => pattern.test(path))?.place;
}

function placeOf(template: string, routes: readonly EdgeRoute[]): Place {
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
