import { describe, expect, test } from '@jest/globals';
import { readTree, type Tree } from './tree.ts';

/** The members of a union type, such as `export type Reason = 'a' | 'b';`. */
function unionIn(code: string | undefined, name: string): string[] {
  const [, union = ''] = new RegExp(`export type ${name} =([^;]*);`).exec(code ?? '') ?? [];
  return [...union.matchAll(/'(\w+)'/g)].map(([, text = '']) => text);
}

/** The rows of all tables of a page, as cells. */
const rowsOf = (page: string): string[][] =>
  page
    .split('\n')
    .filter((line) => line.startsWith('| ') && !/^\| ?-/.test(line))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );

const codeIn = (cell = ''): string | undefined => /^`([^`]+)`$/.exec(cell)?.[1];

function wrongEvents(tree: Tree): string[] {
  const page = tree.get('docs/events.md') ?? '';
  const [, ends = ''] = page.split('\n## hub.end\n');
  return [
    ...differences(
      'reason of hub.end',
      rowsOf(ends.split('\n## ')[0] ?? '').map(([reason]) => codeIn(reason)),
      [
        ...unionIn(tree.get('services/hub/src/events/encode.ts'), 'StreamEndReason'),
        ...unionIn(tree.get('services/hub/src/events/encode.ts'), 'RefusalReason'),
      ],
    ),
    ...differences(
      'type of event',
      [...page.matchAll(/\{"type":"(\w+)","/g)].map(([, type]) => type),
      [...(tree.get('packages/contracts/src/event-names.ts') ?? '').matchAll(/^ {2}\w+: '(\w+)',$/gm)]
        .map(([, type = '']) => type)
        // This event ends streams, and is not sent to readers.
        .filter((type) => type !== 'credential_revoked'),
    ),
    ...wrongSettings(page, tree.get('docs/configuration.md') ?? ''),
    ...wrongProblems(page, tree.get('docs/errors.md') ?? ''),
  ];
}

function differences(
  what: string,
  stated: readonly (string | undefined)[],
  actual: readonly string[],
): string[] {
  const named = new Set(stated.filter((name) => name !== undefined));
  return [
    ...[...named]
      .filter((name) => !actual.includes(name))
      .map((name) => `docs/events.md: there is no ${what} ${name}.`),
    ...actual
      .filter((name) => !named.has(name))
      .map((name) => `docs/events.md: the ${what} ${name} is not described.`),
  ];
}

function wrongSettings(page: string, configuration: string): string[] {
  const defaults = new Map(
    configuration
      .split('\n## ')
      .map((section) => [/^`(\w+)`/.exec(section)?.[1] ?? '', /Default: `([^`]+)`/.exec(section)?.[1]]),
  );
  const named = new Set(page.match(/\b(?:RELAY|HUB)_[A-Z_]+\b/g));
  const ofHub = [...defaults.keys()].filter(
    (name) => /^(RELAY_)?HUB_/.test(name) && name !== 'RELAY_HUB_PUBLIC_URL',
  );
  return [
    ...[...named]
      // Variables of the programs in the page.
      .filter((name) => !defaults.has(name) && !['RELAY_URL', 'RELAY_API_KEY', 'HUB_URL'].includes(name))
      .map((name) => `docs/events.md: there is no setting ${name}.`),
    ...ofHub
      .filter((name) => !named.has(name))
      .map((name) => `docs/events.md: the setting ${name} is not described.`),
    ...rowsOf(page).flatMap(([, variable, fallback]) => {
      const name = codeIn(variable);
      return name === undefined || !defaults.has(name) || defaults.get(name) === fallback
        ? []
        : [`docs/events.md: the default of ${name} is ${defaults.get(name)}, not ${fallback}.`];
    }),
  ];
}

function wrongProblems(page: string, errors: string): string[] {
  return [...page.matchAll(/\b(\d{3}) `(\w+)`/g)]
    .filter(([, status, code]) => !errors.includes(`## ${code}\n\n**${status}**`))
    .map(([, status, code]) => `docs/events.md: there is no error ${code} with the status ${status}.`);
}

describe('docs/events.md', () => {
  test('a wrong or missing reason, type, setting, default or error is reported', () => {
    const tree = new Map([
      [
        'docs/events.md',
        '| request | `{"type":"told","refCode"}` |\n\n| 404 `not_found`, 400 `unknown` |\n\n' +
          '| a | `RELAY_HUB_RETRY` | 3s |\n\n`RELAY_HUB_GONE`\n\n## hub.end\n\n| Reason | x |\n|---|---|\n| `over` | x |\n\n## More\n',
      ],
      [
        'services/hub/src/events/encode.ts',
        "export type StreamEndReason =\n  | 'over'\n  | 'stopping';\nexport type RefusalReason = 'busy';",
      ],
      [
        'packages/contracts/src/event-names.ts',
        "{\n  newMessage: 'new_message',\n  credentialRevoked: 'credential_revoked',\n}",
      ],
      ['docs/configuration.md', '\n## `RELAY_HUB_RETRY`\n\n- Default: `2s`.\n\n## `HUB_REQUIRE_AUTH`\n'],
      ['docs/errors.md', '## not_found\n\n**404** There is nothing.\n\n## unknown\n\n**500** No.\n'],
    ]);
    expect(wrongEvents(tree)).toEqual([
      'docs/events.md: the reason of hub.end stopping is not described.',
      'docs/events.md: the reason of hub.end busy is not described.',
      'docs/events.md: there is no type of event told.',
      'docs/events.md: the type of event new_message is not described.',
      'docs/events.md: there is no setting RELAY_HUB_GONE.',
      'docs/events.md: the setting HUB_REQUIRE_AUTH is not described.',
      'docs/events.md: the default of RELAY_HUB_RETRY is 2s, not 3s.',
      'docs/events.md: there is no error unknown with the status 400.',
    ]);
  });

  test('agrees with the code', () => {
    const tree = readTree();
    for (const name of ['StreamEndReason', 'RefusalReason']) {
      expect(unionIn(tree.get('services/hub/src/events/encode.ts'), name).length).toBeGreaterThan(1);
    }
    expect(wrongEvents(tree)).toEqual([]);
  });
});
