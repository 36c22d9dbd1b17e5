import { describe, expect, test } from '@jest/globals';
import { readTree, type Tree } from './tree.ts';

// A declaration of the config reader: kind('NAME', ...).
const declaration =
  /\b(?:text|integer|duration|url|flag|choice|list|secrets?)\(\s*(['"`])([A-Z][A-Z0-9_]+)\1/g;

// A variable that a test reads, as a name or as a member of process.env.
const testVariable = /\bRELAY_(?:TEST|FUZZ)_[A-Z_]+\b/g;

function undocumented(tree: Tree): string[] {
  return [...scripts(tree), ...variables(tree), ...testVariables(tree)];
}

function scripts(tree: Tree): string[] {
  const { scripts = {} } = JSON.parse(tree.get('package.json') ?? '{}');
  const page = tree.get('CONTRIBUTING.md') ?? '';
  return Object.keys(scripts)
    .filter((name) => !new RegExp(`\\bnpm (run )?${name}(?![\\w:-])`).test(page))
    .map(
      (name) =>
        `package.json: the script "${name}" is not in CONTRIBUTING.md. Describe there what "npm run ${name}" does.`,
    );
}

function variables(tree: Tree): string[] {
  const documented = tree.get('docs/configuration.md') ?? '';
  return [...tree]
    .filter(([path]) => /^(services|packages)\/.*\.ts$/.test(path) && !path.endsWith('.test.ts'))
    .flatMap(([path, text]) =>
      [...text.matchAll(declaration)].map((match) => ({ path, name: match[2] ?? '' })),
    )
    .filter(({ name }) => !documented.includes(`\`${name}\``))
    .map(({ path, name }) => `${path}: ${name} is not in docs/configuration.md. Run \`npm run docs\`.`);
}

function testVariables(tree: Tree): string[] {
  const documented = tree.get('CONTRIBUTING.md') ?? '';
  const names = [...tree]
    .filter(([path]) => /^test\/(?!rules\/).*\.(?:ts|mjs)$/.test(path))
    .flatMap(([, text]) => text.match(testVariable) ?? []);
  return [...new Set(names)]
    .filter((name) => !documented.includes(`\`${name}\``))
    .map((name) => `test: ${name} is not in CONTRIBUTING.md. Describe there what it does.`);
}

describe('scripts and variables', () => {
  test('are reported if they are not documented', () => {
    const tree = new Map([
      ['package.json', '{"scripts":{"start":"x","dev":"x","dev:hub":"x"}}'],
      ['docs/configuration.md', 'Set `RELAY_PORT`.'],
      ['CONTRIBUTING.md', 'Run `npm start`, then `npm run dev:hub`. Set `RELAY_TEST_URL`.'],
      ['test/open.ts', 'const { RELAY_TEST_URL: url, RELAY_TEST_HUB_URL: hubUrl } = process.env;'],
      ['services/hub/src/config.ts', `x = integer('RELAY_PORT', {}), y = url(\n  'NATS_URL', {})`],
    ]);
    expect(undocumented(tree)).toEqual([
      expect.stringContaining('the script "dev" is not in CONTRIBUTING.md'),
      expect.stringContaining('NATS_URL is not in docs/configuration.md'),
      expect.stringContaining('RELAY_TEST_HUB_URL is not in CONTRIBUTING.md'),
    ]);
  });

  test('are documented: scripts in README.md, variables in docs/configuration.md and CONTRIBUTING.md', () => {
    expect(undocumented(readTree())).toEqual([]);
  });
});
