import { expect, test } from '@jest/globals';
import { importedWorkspace, importsAtRunTime } from './imports.ts';
import { isCode, readTree } from './tree.ts';

/* `npm run bench` begins on a tree where nothing is built: what its rows load before the build may not need it. */

const dynamic = /\bimport\s*\(\s*(['"])[^'"\n]+\1\s*\)/g;

/** What a file needs of the house as soon as it is loaded. */
const neededAtOnce = (text: string) =>
  importsAtRunTime(text.replace(dynamic, '')).filter((name) => importedWorkspace(name) !== undefined);

test('bench rows load what is built only when they are played', () => {
  const rows = [...readTree()].filter(
    ([path]) => /^bench\/(rows|stage|measure|requests)\//.test(path) && isCode(path),
  );
  expect(rows.length).toBeGreaterThan(10);
  expect(rows.flatMap(([path, text]) => neededAtOnce(text).map((name) => `${path}: ${name}`))).toEqual([]);
});

test('the rule sees what it is for', () => {
  const text = `import type { A } from '@expert-relay/kit/a';
    import { b } from '@expert-relay/sdk';
    const { c } = await import('@expert-relay/db');`;
  expect(neededAtOnce(text)).toEqual(['@expert-relay/sdk']);
});
