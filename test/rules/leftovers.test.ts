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
      ? [`${path}: this name says nothing. Name a file for its one export.`]
      : [];
    const lines = text.split('\n').flatMap((line, index) => {
      if (marks.test(line)) return [`${path}:${index + 1}: finish it, or make it an issue with a reason.`];
      if (isCode(path) && commentedOut.test(line))
        return [`${path}:${index + 1}: code in a comment. Git remembers it.`];
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
    ['packages/kit/src/utils.ts', '', 'this name says nothing'],
    ['packages/kit/src/helpers/a.ts', '', 'this name says nothing'],
    ['packages/kit/src/key-manager.ts', '', 'this name says nothing'],
  ])('%s with %j', (path, text, problem) => {
    expect(leftovers(new Map([[path, text]]))).toEqual([expect.stringContaining(problem)]);
  });

  test('there are none here', () => {
    expect(leftovers(readTree())).toEqual([]);
  });
});
