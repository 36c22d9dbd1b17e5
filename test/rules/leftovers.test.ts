import { describe, expect, test } from '@jest/globals';
import { isCode, readTree, type Tree } from './tree.ts';

const marks = /\b(TODO|FIXME|XXX|HACK)\b/;
// A comment that begins and ends as a statement does.
const commentedOut =
  /^\s*\/\/\s*(await|const|let|return|if|for|import|export|throw|[\w.]+\(|[\w.]+ =).*(;|\)\s*\{|=>\s*\{)\s*$/;
const vagueName = /(^|\/)(utils?|helpers?|common|misc|shared)(\/|\.[a-z]+$)|-?manager\.[a-z]+$/;

function leftovers(tree: Tree): string[] {
  return [...tree].flatMap(([path, text]) => {
    if (path === 'test/rules/leftovers.test.ts') return [];
    const named = vagueName.test(path)
      ? [`${path}: this name is too general. Name a file for its main export.`]
      : [];
    const lines = text.split('\n').flatMap((line, index) => {
      if (marks.test(line)) return [`${path}:${index + 1}: finish it, or move it to an issue.`];
      if (isCode(path) && commentedOut.test(line))
        return [`${path}:${index + 1}: code in a comment. Delete it; git keeps it.`];
      return [];
    });
    return [...named, ...lines];
  });
}

describe('leftovers', () => {
  test.each([
    ['scripts/a.ts', 'one();\n// TODO: the rest', 'scripts/a.ts:2: finish it'],
    ['docs/a.md', 'FIXME', 'docs/a.md:1: finish it'],
    ['scripts/a.ts', '  // return old(value);', 'scripts/a.ts:1: code in a comment'],
    ['scripts/a.ts', '// if (old) {', 'scripts/a.ts:1: code in a comment'],
    ['packages/kit/src/utils.ts', '', 'this name is too general'],
    ['packages/kit/src/helpers/a.ts', '', 'this name is too general'],
    ['packages/kit/src/key-manager.ts', '', 'this name is too general'],
  ])('%s with %j is reported', (path, text, problem) => {
    expect(leftovers(new Map([[path, text]]))).toEqual([expect.stringContaining(problem)]);
  });

  test('do not exist in this repository', () => {
    expect(leftovers(readTree())).toEqual([]);
  });
});
