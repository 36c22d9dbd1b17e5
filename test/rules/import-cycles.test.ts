import { describe, expect, test } from '@jest/globals';
import { importsOf, resolveImport } from './imports.ts';
import { isCode, readTree, type Tree } from './tree.ts';

/** Each import cycle, as its files. */
function findCycles(tree: Tree): string[] {
  const cycles: string[] = [];
  const finished = new Set<string>();
  const currentPath: string[] = [];

  function visit(path: string): void {
    const start = currentPath.indexOf(path);
    if (start >= 0) cycles.push([...currentPath.slice(start), path].join(' -> '));
    if (start >= 0 || finished.has(path)) return;
    currentPath.push(path);
    for (const specifier of importsOf(tree.get(path) ?? '')) {
      const imported = resolveImport(tree, path, specifier);
      if (imported !== undefined) visit(imported);
    }
    currentPath.pop();
    finished.add(path);
  }

  for (const path of tree.keys()) if (isCode(path)) visit(path);
  return cycles;
}

describe('import cycles', () => {
  test('are reported, also between workspaces', () => {
    const tree = new Map([
      ['packages/kit/package.json', '{"exports":{"./*":{"relay-source":"./src/*/index.ts"}}}'],
      ['packages/kit/src/log/index.ts', `import { b } from './b.ts';`],
      ['packages/kit/src/log/b.ts', `import { type C, c } from '@expert-relay/db';`],
      ['packages/db/package.json', '{"exports":{".":{"relay-source":"./src/index.ts"}}}'],
      ['packages/db/src/index.ts', `export { log } from '@expert-relay/kit/log';`],
    ]);
    expect(findCycles(tree)).toEqual([
      'packages/kit/src/log/index.ts -> packages/kit/src/log/b.ts -> packages/db/src/index.ts -> packages/kit/src/log/index.ts',
    ]);
  });

  test('include those of types: each of these files can be understood only with the others', () => {
    const tree = new Map([
      ['scripts/a.ts', `import { b } from './b.ts';`],
      ['scripts/b.ts', `import type {\n  A,\n} from './a.ts';`],
    ]);
    expect(findCycles(tree)).toEqual(['scripts/a.ts -> scripts/b.ts -> scripts/a.ts']);
  });

  test('do not exist: move what both files need into a new file', () => {
    expect(findCycles(readTree())).toEqual([]);
  });
});
