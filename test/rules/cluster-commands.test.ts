import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { readTree, root, type Tree } from './tree.ts';

/*
 * A command that an operator copies works on the relay's namespace, not on the default one. A command that only has its verb is a
 * mention of it. No command has a part in angle brackets, which a shell would take for files.
 */

/** The commands in blocks of code and in code within sentences, each in one line. */
function commandsIn(text: string): string[] {
  const block = /^```[a-z]*\n([\s\S]*?)^```/gm;
  const blocks = [...text.matchAll(block)].map(([, code = '']) => code.replace(/\\\n/g, ' '));
  const spans = [...text.replace(block, '').matchAll(/`([^`]+)`/g)].map(([, code = '']) =>
    code.replace(/\s+/g, ' '),
  );
  return [...blocks, ...spans].flatMap((code) => code.match(/\b(kubectl|helm) [a-z][^|;`\n]*/g) ?? []);
}

const isMention = (command: string) => !/ -|[^ ]\//.test(command);
/** Of the whole cluster, or of objects whose namespace is in the file. */
const needsNone = /^kubectl (create namespace|drain|(create|replace) (--force )?--filename) /;

const problemsOf = (tree: Tree): string[] =>
  [...tree].flatMap(([path, text]) =>
    commandsIn(text)
      .filter((command) => !isMention(command) && !needsNone.test(command))
      .flatMap((command) => [
        ...(/ --namespace[ =]| -A\b/.test(command) ? [] : [`${path}: no namespace in: ${command}`]),
        ...(/ get \S+,\S+.* (-w|--watch)\b/.test(command)
          ? [`${path}: only one kind can be watched: ${command}`]
          : []),
      ]),
  );

test('a command without a namespace, and one that watches two kinds, are reported', () => {
  const tree = new Map([
    ['docs/a.md', 'Run `kubectl get jobs,pods --namespace relay --watch`, or `kubectl rollout restart`.'],
    ['docs/b.md', '```sh\nkubectl get secret a |\n  kubectl apply --server-side -f -\n```\n'],
    ['docs/c.md', 'Run `kubectl describe pod --namespace\nrelay`, then `helm test expert-relay --logs`.'],
  ]);
  expect(problemsOf(tree).map((problem) => problem.slice(0, 22))).toEqual([
    'docs/a.md: only one ki',
    'docs/b.md: no namespac',
    'docs/c.md: no namespac',
  ]);
});

/** Commands and statements with a part to fill in, such as `<name of the Job>`. */
const placeholdersOf = (tree: Tree): string[] =>
  [...tree].flatMap(([path, text]) => {
    const block = /^```(\w*)\n([\s\S]*?)^```/gm;
    const blocks = [...text.matchAll(block)].filter(([, language = '']) =>
      /^(sh|bash|sql|text)$/.test(language),
    );
    const spans = [...text.replace(block, '').matchAll(/`([^`]+)`/g)].filter(([, code = '']) =>
      /^(kubectl|helm|docker|npm|npx|node|relay|curl|psql|SELECT|DELETE|UPDATE) /.test(code),
    );
    const codes = [...blocks.map(([, , code = '']) => code), ...spans.map(([, code = '']) => code)];
    return codes.flatMap((code) => code.match(/<[a-z][\w ]*>/gi) ?? []).map((found) => `${path}: ${found}`);
  });

test('a part to fill in is reported in commands and statements, not in names of settings', () => {
  const tree = new Map([
    ['docs/a.md', 'Run `kubectl logs job/<name of the Job>`; `services.<name>.image` is no command.'],
    ['docs/b.md', '```sh\nkill <pid>\n```\n\n```ts\nlet a: Promise<string>;\n```\n'],
  ]);
  expect(placeholdersOf(tree)).toEqual(['docs/a.md: <name of the Job>', 'docs/b.md: <pid>']);
});

test('commands and statements of the pages have no part in angle brackets', () => {
  const pages = [...readTree()].filter(([path]) => path.endsWith('.md') && !path.startsWith('docs/adr/'));
  expect(placeholdersOf(new Map(pages))).toEqual([]);
});

test('commands of the pages and of the notes of the chart are for the namespace of the relay', () => {
  const notes = 'charts/expert-relay/templates/NOTES.txt';
  const pages = [...readTree()].filter(([path]) => path.endsWith('.md') && !path.startsWith('test/'));
  const lines = readFileSync(join(root, notes), 'utf8').replace(/^ {2}(.*)$/gm, '```sh\n$1\n```');
  expect(pages.flatMap(([, text]) => commandsIn(text)).length).toBeGreaterThan(30);
  expect(commandsIn(lines).length).toBeGreaterThan(4);
  expect(problemsOf(new Map([...pages, [notes, lines]]))).toEqual([]);
});
