import { describe, expect, test } from '@jest/globals';
import { isCode, isTest, readTree, type Tree } from './tree.ts';

/* Tests run in parallel: files that one test writes into the checkout would disturb the others. */

const writes =
  /\b(outfile|outdir|(writeFile|appendFile|mkdir|copyFile|cp|rename|symlink|open)(Sync)?\(|createWriteStream)/;
const usesCheckoutPath =
  /new URL\([^()]*, import\.meta\.url\)|fileURLToPath\(import\.meta\.url\)|import\.meta\.(dirname|filename)|\bprocess\.cwd\(/;

function writesIntoCheckout(tree: Tree): string[] {
  return [...tree]
    .filter(
      ([path, text]) => isCode(path) && isTest(path) && writes.test(text) && usesCheckoutPath.test(text),
    )
    .filter(([, text]) => !/\bmkdtemp/.test(text))
    .map(([path]) => `${path}: writes files into the checkout. Write into a folder of mkdtempSync.`);
}

describe('tests that write into the checkout', () => {
  const target = 'fileURLToPath(new URL("../dist/a.js", import.meta.url))';

  test.each([
    ['packages/cli/src/testing/a.ts', `await build({ outfile: ${target} });`],
    ['test/e2e/a.test.ts', `writeFileSync(${target}, '');`],
  ])('%s with %s is reported', (path, text) => {
    expect(writesIntoCheckout(new Map([[path, text]]))).toEqual([expect.stringContaining('mkdtempSync')]);
  });

  test('do not exist', () => {
    expect(writesIntoCheckout(readTree())).toEqual([]);
  });
});
