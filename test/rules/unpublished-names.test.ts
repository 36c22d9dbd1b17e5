import { expect, test } from '@jest/globals';
import { isTest, readTree, type Tree } from './tree.ts';

/*
 * The packages are not on npm yet. A stranger who publishes under their names gets the user's key, which
 * stands beside the commands that name them. Delete this rule in the release that publishes them.
 */

const named =
  /\b(?:npx|npm (?:i|install|exec|x)|yarn (?:add|dlx)|pnpm (?:add|dlx)|bunx)\b[^\n]*@expert-relay\//;

/** Where the commands stand behind a condition, with its reason. */
const allowed = new Map([
  ['services/dashboard/web/src/keys/snippets.ts', 'the switch that turns them on'],
  ['packages/cli/src/terminal/typed-commands.ts', 'only what npx has already started'],
]);

/** Commands that users may copy: blocks of code in pages, and all of the product's own code. */
function commandsIn(path: string, text: string): string[] {
  if (!path.endsWith('.md')) return text.split('\n');
  return [...text.matchAll(/^```[^\n]*\n([\s\S]*?)^```/gm)].flatMap(([, block = '']) => block.split('\n'));
}

const unpublished = (tree: Tree): string[] =>
  [...tree]
    .filter(([path]) => !isTest(path) && !allowed.has(path))
    .flatMap(([path, text]) =>
      commandsIn(path, text)
        .filter((line) => named.test(line))
        .map((line) => `${path}: "${line.trim()}" asks npm for a package that is not published.`),
    );

test('a command that names an unpublished package is reported', () => {
  const tree = new Map([
    ['docs/a.md', 'Later `npx -y @expert-relay/cli` works.\n```sh\nnpx -y @expert-relay/cli ask\n```\n'],
    ['examples/a.mjs', '// npm install @expert-relay/sdk'],
    ['services/a/src/a.ts', "print('pnpm dlx @expert-relay/cli')"],
    ['README.md', '```sh\nnpm install ./expert-relay-*.tgz\n```'],
  ]);
  expect(unpublished(tree).map((problem) => problem.split(':')[0])).toEqual([
    'docs/a.md',
    'examples/a.mjs',
    'services/a/src/a.ts',
  ]);
});

test('this repository has no such command', () => {
  expect(unpublished(readTree())).toEqual([]);
});
