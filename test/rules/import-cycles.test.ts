import { describe, expect, test } from '@jest/globals';
import { importsAtRunTime, resolveImport } from './imports.ts';
import { isCode, readTree, type Tree } from './tree.ts';

/** Each cycle once, as the files it runs through: which of them is run first, nobody can tell. */
function findCycles(tree: Tree): string[] {
  const cycles: string[] = [];
  const finished = new Set<string>();
  const trail: string[] = [];

  function visit(path: string): void {
    const start = trail.indexOf(path);
    if (start >= 0) cycles.push([...trail.slice(start), path].join(' -> '));
    if (start >= 0 || finished.has(path)) return;
    trail.push(path);
    for (const specifier of importsAtRunTime(tree.get(path) ?? '')) {
      const imported = resolveImport(tree, path, specifier);
      if (imported !== undefined) visit(imported);
    }
    trail.pop();
    finished.add(path);
  }

  for (const path of tree.keys()) if (isCode(path)) visit(path);
  return cycles;
}

describe('import cycles', () => {
  test('are found, across workspaces too', () => {
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

  test('are not made by imports of types', () => {
    const tree = new Map([
      ['scripts/a.ts', `import { b } from './b.ts';`],
      ['scripts/b.ts', `import type {\n  A,\n} from './a.ts';\nexport type { B } from './a.ts';`],
    ]);
    expect(findCycles(tree)).toEqual([]);
    expect(findCycles(tree.set('scripts/b.ts', `import { a } from './a.ts';`))).toHaveLength(1);
  });

  test('are absent here: move what both sides need into a file of its own', () => {
    expect(findCycles(readTree())).toEqual([]);
  });
});
