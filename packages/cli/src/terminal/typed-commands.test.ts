import { describe, expect, test } from '@jest/globals';
import { commands } from '../run.ts';
import { createScreen } from './screen.ts';
import { programName } from './typed-commands.ts';

test.each([
  ['/usr/local/bin/relay', 'relay'],
  ['/home/me/project/node_modules/.bin/relay', 'npx relay'],
  ['/root/.npm/_npx/1a2b/node_modules/.bin/relay', 'npx -y @expert-relay/cli'],
  ['/home/me/relay/packages/cli/bin/relay.mjs', 'node packages/cli/bin/relay.mjs'],
  ['/opt/expert relay/bin/relay.mjs', "node '/opt/expert relay/bin/relay.mjs'"],
])('%s is run with: %s', (script, name) => {
  expect(programName(script, '/home/me/relay')).toBe(name);
});

function printed(
  print: (screen: ReturnType<typeof createScreen>) => void,
  columns?: number,
  profile?: 'agent' | 'expert',
): string {
  let text = '';
  const stream = { write: (more: string) => (text += more), ...(columns && { isTTY: true, columns }) };
  print(createScreen(stream, { colours: false, program: 'npx relay', profile }));
  return text;
}

describe('a command in a text of this program', () => {
  test.each([
    [
      'Make them: relay keys make. Or: relay keys restore',
      'Make them: npx relay keys make. Or: npx relay keys restore',
    ],
    ['see `relay keys`.', 'see `npx relay keys`.'],
    ['tail deploy.log | relay ask "What?" --wait 2h', 'tail deploy.log | npx relay ask "What?" --wait 2h'],
    ['The relay answers, and the relay keys are there.', 'The relay answers, and the relay keys are there.'],
  ])('is written as the user must type it: %s', (text, named) => {
    expect(printed(({ paragraph }) => paragraph(text))).toBe(`${named}\n`);
    expect(printed(({ failure }) => failure(text))).toBe(`${named}\n`);
    expect(printed(({ line, typed }) => line(typed(text)))).toBe(`${named}\n`);
  });

  test.each(commands.map(({ name }) => name))('relay %s is known', (name) => {
    expect(printed(({ paragraph }) => paragraph(`Then: relay ${name}`))).toBe(`Then: npx relay ${name}\n`);
  });

  test.each([
    ['agent', 'relay show HS-7KQ2M9XD --save DIR', 'npx relay show --profile agent HS-7KQ2M9XD --save DIR'],
    ['agent', 'relay close HS-7KQ2M9XD', 'npx relay close HS-7KQ2M9XD'],
    ['expert', 'relay show HS-7KQ2M9XD', 'npx relay show HS-7KQ2M9XD'],
    ['expert', 'relay close HS-7KQ2M9XD', 'npx relay close --profile expert HS-7KQ2M9XD'],
    ['agent', 'relay help show', 'npx relay help show'],
  ] as const)(
    'names the profile of the %s where it would run with the other one: %s',
    (profile, typed, named) => {
      expect(printed(({ paragraph }) => paragraph(typed), 120, profile)).toBe(`${named}\n`);
    },
  );

  test('stays on one line, also in a narrow terminal', () => {
    const text =
      'Bring them here: relay keys restore --replace. Or run:\nexport RELAY_URL=http://127.0.0.1:8080 RELAY_API_KEY=hs_x';
    expect(printed(({ failure }) => failure(text), 20)).toBe(
      [
        'Bring them here:',
        'npx relay keys restore --replace.',
        'Or run:',
        'export RELAY_URL=http://127.0.0.1:8080 RELAY_API_KEY=hs_x',
        '',
      ].join('\n'),
    );
  });
});

test('foreign text is not changed', () => {
  expect(printed(({ foreign }) => foreign('Try: relay keys restore'))).toBe('Try: relay keys restore\n');
});
