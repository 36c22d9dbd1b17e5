import { type NamedOperation, operations } from './document.ts';

const byPattern = [...new Set(operations.map(({ path }) => path))]
  // Paths without parameters first.
  .sort((one, other) => Number(one.includes('{')) - Number(other.includes('{')))
  .map((path) => ({ path, pattern: patternOf(path) }));

/** The documented path that matches the path of a call. */
export function findPath(target: string): string | undefined {
  // Browsers never send a fragment.
  if (target.includes('#')) return undefined;
  const path = target.split('?')[0] ?? '';
  return byPattern.find(({ pattern }) => pattern.test(path))?.path;
}

export function findOperation(method: string, target: string): NamedOperation | undefined {
  const path = findPath(target);
  const documentedMethod = method === 'HEAD' ? 'GET' : method;
  return operations.find((operation) => operation.path === path && operation.method === documentedMethod);
}

function patternOf(path: string): RegExp {
  // No segment begins with a dot. A page of the app may have several segments; all other parameters are one segment.
  const parameters = path
    .replace('{page}', '([^/.][^/]*(/[^/.][^/]*)*)?/?')
    .replace(/\{\w+\}/g, '[^/.][^/]*');
  return new RegExp(`^${parameters}$`);
}
