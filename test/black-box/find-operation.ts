import { type NamedOperation, operations } from './document.ts';

const byPattern = [...new Set(operations.map(({ path }) => path))]
  // Plain paths before those with parameters.
  .sort((one, other) => Number(one.includes('{')) - Number(other.includes('{')))
  .map((path) => ({ path, pattern: patternOf(path) }));

/** The documented path that a call's path belongs to. */
export function findPath(target: string): string | undefined {
  // A fragment is the browser's own and never sent.
  if (target.includes('#')) return undefined;
  const path = target.split('?')[0] ?? '';
  return byPattern.find(({ pattern }) => pattern.test(path))?.path;
}

export function findOperation(method: string, target: string): NamedOperation | undefined {
  const path = findPath(target);
  const sought = method === 'HEAD' ? 'GET' : method;
  return operations.find((operation) => operation.path === path && operation.method === sought);
}

function patternOf(path: string): RegExp {
  // No segment begins with a dot. A page of the app may have more than one segment, everything else has one.
  const parameters = path
    .replace('{page}', '([^/.][^/]*(/[^/.][^/]*)*)?/?')
    .replace(/\{\w+\}/g, '[^/.][^/]*');
  return new RegExp(`^${parameters}$`);
}
