import { describe, expect, test } from '@jest/globals';
import { readTree, type Tree } from './tree.ts';

// A declaration of the config reader: kind('NAME', ...).
const declaration = /\b(?:text|integer|duration|url|flag|choice|list|secret)\(\s*(['"`])([A-Z][A-Z0-9_]+)\1/g;

function undocumented(tree: Tree): string[] {
  return [...scripts(tree), ...variables(tree)];
}

function scripts(tree: Tree): string[] {
  const { scripts = {} } = JSON.parse(tree.get('package.json') ?? '{}');
  const readme = tree.get('README.md') ?? '';
  return Object.keys(scripts)
    .filter((name) => !new RegExp(`\\bnpm (run )?${name}(?![\\w:-])`).test(readme))
    .map(
      (name) =>
        `package.json: the script "${name}" is not in README.md. Say there what "npm run ${name}" is for.`,
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
    .map(({ path, name }) => `${path}: ${name} is not in docs/configuration.md. Generate that page again.`);
}

describe('what people can type', () => {
  test('is found when it is not written down', () => {
    const tree = new Map([
      ['package.json', '{"scripts":{"start":"x","dev":"x","dev:hub":"x"}}'],
      ['README.md', 'Run `npm start`, then `npm run dev:hub`.'],
      ['docs/configuration.md', 'Set `RELAY_PORT`.'],
      ['services/hub/src/config.ts', `x = integer('RELAY_PORT', {}), y = url(\n  'NATS_URL', {})`],
    ]);
    expect(undocumented(tree)).toEqual([
      expect.stringContaining('the script "dev" is not in README.md'),
      expect.stringContaining('NATS_URL is not in docs/configuration.md'),
    ]);
  });

  test('is written down: every script in README.md, every variable in docs/configuration.md', () => {
    expect(undocumented(readTree())).toEqual([]);
  });
});
