import { describe, expect, test } from '@jest/globals';
import { compile } from './compile.ts';
import { exampleNames } from './example-names.ts';
import { examplesOf, type PublicName, publicNames } from './public-names.ts';
import { readTree, type Tree } from './tree.ts';

/* The reference of the SDK is made from these comments: `npm run reference`. */

/** What is called, and what holds options or methods, is shown by an example. */
function needsExample({ name, kind, declaration }: PublicName): boolean {
  if (kind === 'interface') return /Options$/.test(name) || /^ {2}\w+(?:<[^>]*>)?\(/m.test(declaration);
  return kind === 'function' || kind === 'class' || (kind === 'const' && declaration.includes('=> '));
}

/** Members of options without a sentence. */
function membersWithout({ name, kind, declaration }: PublicName): string[] {
  if (kind !== 'interface' || !/(?:Options$|^(?:Timing|Question|Store|Memory)$)/.test(name)) return [];
  const lines = declaration.split('\n');
  return lines.flatMap((line, at) => {
    const [, member] = /^ {2}(?:readonly )?(\w+)[?:(<]/.exec(line) ?? [];
    return member === undefined || /\*\/$/.test(lines[at - 1] ?? '') ? [] : [`${name}.${member}`];
  });
}

function problemsOf(names: readonly PublicName[]): string[] {
  return names.flatMap((one) => {
    const at = `${one.path}: ${one.name}`;
    if (one.declaration === '')
      return [`${at} is not declared there: export it from the file that declares it.`];
    if (one.comment === '') return [`${at} has no doc comment.`];
    const example = needsExample(one) && !one.comment.includes('@example') ? [`${at} has no @example.`] : [];
    return [...example, ...membersWithout(one).map((member) => `${one.path}: ${member} has no sentence.`)];
  });
}

/** The examples of each file that declares public names, as a program that imports what it uses. */
function examplePrograms(tree: Tree): Map<string, string> {
  const names = publicNames(tree);
  return new Map(
    [...new Set(names.map(({ path }) => path))].flatMap((path) => {
      const program = examplesOf(tree.get(path) ?? '');
      if (program.trim() === '') return [];
      const imports = names
        .filter(({ name }) => new RegExp(`\\b${name}\\b`).test(program))
        .map(({ name, entry, kind }) => {
          const isType = kind === 'interface' || kind === 'type';
          return `import ${isType ? 'type ' : ''}{ ${name} } from '${entry}';`;
        });
      return [[path, `${imports.join(' ')}${program}\nexport {};\n`]];
    }),
  );
}

describe('doc comments of public names', () => {
  test('that are missing are reported', () => {
    const tree = new Map([
      ['packages/sdk/package.json', '{ "exports": { ".": { "relay-source": "./src/index.ts" } } }'],
      [
        'packages/sdk/src/index.ts',
        "export { a } from './a.ts';\nexport type { AOptions, B, C } from './a.ts';\n",
      ],
      [
        'packages/sdk/src/a.ts',
        `/** Does it. */\nexport function a(): void {\n  return;\n}\n
/**\n * How.\n *\n * @example\n * a();\n */\nexport interface AOptions {\n  readonly x: string;\n  /** Y. */\n  readonly y?: string;\n}\n
export type B = 'b';\n`,
      ],
    ]);
    expect(problemsOf(publicNames(tree))).toEqual([
      'packages/sdk/src/a.ts: a has no @example.',
      'packages/sdk/src/a.ts: AOptions.x has no sentence.',
      'packages/sdk/src/a.ts: B has no doc comment.',
      'packages/sdk/src/a.ts: C is not declared there: export it from the file that declares it.',
    ]);
  });

  test('are there in the SDK', () => {
    const names = publicNames(readTree());
    expect(problemsOf(names)).toEqual([]);
    expect(names.length).toBeGreaterThan(100);
  });

  test('have examples that compile', async () => {
    const programs = examplePrograms(readTree());
    expect(programs.size).toBeGreaterThan(20);
    expect(await compile(new Map([...programs, ['names.d.ts', exampleNames]]))).toEqual([]);
  });

  test('have examples that keep their lines', () => {
    const text =
      '/**\n * A.\n *\n * @example\n * a();\n * b();\n *\n * @throws C\n *\n * @example\n * c();\n */\n';
    expect(examplesOf(text)).toBe('\n\n\n{\na();\nb();\n\n}\n\n{\nc();\n}\n');
  });
});
