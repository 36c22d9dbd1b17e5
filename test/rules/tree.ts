import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Text by path from the root, with forward slashes. A rule takes a tree, so that its test can give it a wrong one. */
export type Tree = ReadonlyMap<string, string>;

export const root = fileURLToPath(new URL('../..', import.meta.url));

const generatedFolders = new Set(['node_modules', 'dist', 'generated', 'coverage']);
const readable = /\.(ts|tsx|mts|js|mjs|json|sql|md|proto|prisma|yaml|sh|css|html|grit)$/;

/** All text files of this repository, without generated and hidden ones. */
export function readTree(folder = root): Tree {
  const entries = readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => !name.startsWith('.') && !generatedFolders.has(name))
    .flatMap((entry): [string, string][] => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return [...readTree(path)];
      if (!entry.isFile() || !readable.test(entry.name) || entry.name === 'package-lock.json') return [];
      return [[relative(root, path).split(sep).join('/'), readFileSync(path, 'utf8')]];
    });
  return new Map(entries);
}

/** Whether a file is a test or only used by tests. Such files are not shipped, and shipped code must not import them. */
export function isTest(path: string): boolean {
  return /\.test\.tsx?$|\/src\/testing\/|^test\/|^packages\/testkit\//.test(path);
}

export function isCode(path: string): boolean {
  return /\.(ts|tsx|mts|js|mjs)$/.test(path);
}

/** The workspace of a file in services/ or packages/, such as `hub` of `services/hub/src/main.ts`. */
export function workspaceOf(path: string): string | undefined {
  if (path.startsWith('services/dashboard/web/')) return 'dashboard-web';
  return /^(?:services|packages)\/([^/]+)\//.exec(path)?.[1];
}
