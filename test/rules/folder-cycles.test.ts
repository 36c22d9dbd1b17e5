import { posix } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { importsOf, resolveImport } from './imports.ts';
import { isCode, isTest, readTree, type Tree, workspaceOf } from './tree.ts';

/** `services/hub/src/stream` for all files in it. Undefined for files directly in `src` and `scripts`, which may import all folders. */
const folderOf = (path: string): string | undefined => /^(.+?\/src\/[^/]+|scripts\/[^/]+)\//.exec(path)?.[1];

/** The folders that each folder imports in its workspace. Imports of types count. */
function folderImports(tree: Tree): ReadonlyMap<string, ReadonlySet<string>> {
  const imports = new Map<string, Set<string>>();
  for (const [path, text] of tree) {
    const from = folderOf(path);
    if (from === undefined || !isCode(path) || isTest(path)) continue;
    for (const specifier of importsOf(text)) {
      const imported = resolveImport(tree, path, specifier);
      const to = imported && folderOf(imported);
      if (!to || to === from || workspaceOf(to) !== workspaceOf(from)) continue;
      imports.set(from, (imports.get(from) ?? new Set()).add(to));
    }
  }
  return imports;
}

/** Each group of folders that import each other, directly or through others. */
function folderCycles(tree: Tree): string[] {
  const imports = folderImports(tree);

  function reachableFrom(start: string): ReadonlySet<string> {
    const reached = new Set<string>();
    const queue = [start];
    for (let folder = queue.pop(); folder !== undefined; folder = queue.pop()) {
      for (const next of imports.get(folder) ?? []) {
        if (!reached.has(next)) queue.push(next);
        reached.add(next);
      }
    }
    return reached;
  }

  const groups = [...imports.keys()].flatMap((folder) => {
    const reached = reachableFrom(folder);
    if (!reached.has(folder)) return [];
    const group = [...reached].filter((other) => reachableFrom(other).has(folder)).sort();
    const names = group.map((name) => posix.basename(name)).join(', ');
    return [`${posix.dirname(folder)}: ${names}`];
  });
  return [...new Set(groups)].sort();
}

describe('import cycles between folders', () => {
  test('are reported, also through types and several folders', () => {
    const tree = new Map([
      ['services/hub/src/service.ts', `import { a } from './a/a.ts';`],
      ['services/hub/src/a/a.ts', `import type { B } from '../b/b.ts';`],
      ['services/hub/src/b/b.ts', `import { c } from '../c/inner/c.ts';`],
      ['services/hub/src/c/inner/c.ts', `import { config } from '../../config.ts';`],
      ['services/hub/src/config.ts', ''],
      ['services/hub/src/c/c.ts', ''],
    ]);
    expect(folderCycles(tree)).toEqual([]);
    tree.set('services/hub/src/c/c.ts', `import { a } from '../a/a.ts';`);
    expect(folderCycles(tree)).toEqual(['services/hub/src: a, b, c']);
  });

  test('do not exist: move what both folders need into the lower one, or into a new one', () => {
    expect(folderCycles(readTree())).toEqual([]);
  });
});
