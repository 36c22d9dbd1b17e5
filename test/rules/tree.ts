import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Text by path from the root, with forward slashes. The rules read trees, so they can be shown a bad one. */
export type Tree = ReadonlyMap<string, string>;

export const root = fileURLToPath(new URL('../..', import.meta.url));

const madeByTools = new Set(['node_modules', 'dist', 'generated', 'coverage']);
const readable = /\.(ts|tsx|mts|js|mjs|json|sql|md|proto|prisma|yaml|sh|css|html|grit)$/;

/** What people write in this repo; not what tools made, and nothing hidden. */
export function readTree(folder = root): Tree {
  const entries = readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => !name.startsWith('.') && !madeByTools.has(name))
    .flatMap((entry): [string, string][] => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return [...readTree(path)];
      if (!entry.isFile() || !readable.test(entry.name) || entry.name === 'package-lock.json') return [];
      return [[relative(root, path).split(sep).join('/'), readFileSync(path, 'utf8')]];
    });
  return new Map(entries);
}

/** Tests, and what only tests need: it is never shipped, nor imported by what is. */
export function isTest(path: string): boolean {
  return /\.test\.tsx?$|\/src\/testing\/|^test\/|^packages\/testkit\//.test(path);
}

export function isCode(path: string): boolean {
  return /\.(ts|tsx|mts|js|mjs)$/.test(path);
}

/** Of a path under services/ or packages/: `services/hub/src/main.ts` is in `hub`. */
export function workspaceOf(path: string): string | undefined {
  if (path.startsWith('services/dashboard/web/')) return 'dashboard-web';
  return /^(?:services|packages)\/([^/]+)\//.exec(path)?.[1];
}
