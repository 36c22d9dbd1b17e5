import { describe, expect, test } from '@jest/globals';
import { isCode, isTest, readTree, type Tree } from './tree.ts';

/* Tests run at the same time: what one writes into the checkout, another one lists or reads half written. */

const writes =
  /\b(outfile|outdir|(writeFile|appendFile|mkdir|copyFile|cp|rename|symlink|open)(Sync)?\(|createWriteStream)/;
const knowsCheckout = /import\.meta\.(url|dirname|filename)|\bprocess\.cwd\(/;

function writesIntoCheckout(tree: Tree): string[] {
  return [...tree]
    .filter(([path, text]) => isCode(path) && isTest(path) && writes.test(text) && knowsCheckout.test(text))
    .filter(([, text]) => !/\bmkdtemp/.test(text))
    .map(([path]) => `${path}: writes files. Write into a folder of its own, made by mkdtempSync.`);
}

describe('tests write outside of the checkout', () => {
  const target = 'fileURLToPath(new URL("../dist/a.js", import.meta.url))';

  test.each([
    ['packages/cli/src/testing/a.ts', `await build({ outfile: ${target} });`],
    ['test/e2e/a.test.ts', `writeFileSync(${target}, '');`],
  ])('%s with %s is refused', (path, text) => {
    expect(writesIntoCheckout(new Map([[path, text]]))).toEqual([expect.stringContaining('mkdtempSync')]);
  });

  test('in this repository', () => {
    expect(writesIntoCheckout(readTree())).toEqual([]);
  });
});
