import { posix } from 'node:path';
import { type Tree, workspaceOf } from './tree.ts';

// Static imports, re-exports and dynamic imports of a literal.
const statement = /(?:\bfrom\s*|\bimport\s*\(?\s*)(['"])([^'"\n]+)\1/g;

/** The specifiers of all imports of a file. */
export function importsOf(source: string): string[] {
  return [...source.matchAll(statement)].map((match) => match[2] ?? '');
}

const typeImport = /\b(?:import|export)\s+type\s[^;]*?from\s*(['"])[^'"\n]+\1/g;

/** The specifiers of all imports except those of types, which do not exist at run time. */
export function importsAtRunTime(source: string): string[] {
  return importsOf(source.replace(typeImport, ''));
}

/** The workspace of a specifier, such as `kit` of `@expert-relay/kit/log`. */
export function importedWorkspace(specifier: string): string | undefined {
  return /^@expert-relay\/([^/]+)/.exec(specifier)?.[1];
}

/** The imported file, if it is in this tree. */
export function resolveImport(tree: Tree, from: string, specifier: string): string | undefined {
  if (specifier.startsWith('.')) {
    const path = posix.join(posix.dirname(from), specifier);
    return tree.has(path) ? path : undefined;
  }
  const [, workspace, inside] = /^@expert-relay\/([^/]+)(?:\/(.+))?$/.exec(specifier) ?? [];
  if (workspace === undefined) return undefined;
  const manifest = [...tree.keys()].find(
    (path) => path.endsWith(`${workspace}/package.json`) && workspaceOf(path) === workspace,
  );
  const exported = manifest && sourceOf(JSON.parse(tree.get(manifest) ?? ''), inside);
  return exported && posix.join(posix.dirname(manifest ?? ''), exported);
}

interface Manifest {
  exports?: Record<string, { 'relay-source'?: string }>;
}

function sourceOf({ exports = {} }: Manifest, inside: string | undefined): string | undefined {
  if (inside === undefined) return exports['.']?.['relay-source'];
  return exports[`./${inside}`]?.['relay-source'] ?? exports['./*']?.['relay-source']?.replace('*', inside);
}
