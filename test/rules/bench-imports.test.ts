import { expect, test } from '@jest/globals';
import { importedWorkspace, importsAtRunTime } from './imports.ts';
import { isCode, readTree } from './tree.ts';

/* `npm run bench` imports its rows before it builds the product, so their static imports must not need built files. */

const dynamicImport = /\bimport\s*\(\s*(['"])[^'"\n]+\1\s*\)/g;

/** The workspaces that a file imports statically. */
const staticWorkspaceImports = (text: string) =>
  importsAtRunTime(text.replace(dynamicImport, '')).filter((name) => importedWorkspace(name) !== undefined);

test('bench rows import workspaces only dynamically', () => {
  const rows = [...readTree()].filter(
    ([path]) => /^bench\/(rows|environment|measure|requests)\//.test(path) && isCode(path),
  );
  expect(rows.length).toBeGreaterThan(10);
  expect(
    rows.flatMap(([path, text]) => staticWorkspaceImports(text).map((name) => `${path}: ${name}`)),
  ).toEqual([]);
});

test('a static import of a workspace is reported', () => {
  const text = `import type { A } from '@expert-relay/kit/a';
    import { b } from '@expert-relay/sdk';
    const { c } = await import('@expert-relay/db');`;
  expect(staticWorkspaceImports(text)).toEqual(['@expert-relay/sdk']);
});
