import { code } from '@expert-relay/sdk/internal';
import { describe, expect, test } from '@jest/globals';
import { claudeInputs, readCall } from '../../testing/hook-inputs.ts';
import { describeToolCall } from './describe-tool-call.ts';

const request = (tool_name: string, json: string) =>
  readCall(
    JSON.stringify({ ...claudeInputs.bash, tool_name }).replace(
      /"tool_input":\{[^}]*\}/,
      () => `"tool_input":${json}`,
    ),
  );
const shown = (tool: string, input: object) => describeToolCall(request(tool, JSON.stringify(input)));

/** Both sides of each change that is shown as a diff. */
const sidesOf = (text: string): string[] =>
  Array.from(text.matchAll(/^(`{3,})diff\n([\s\S]*?)\n\1$/gm), ([, , diff = '']) =>
    diff.split('\n').filter((line) => !line.startsWith('@@')),
  ).flatMap((lines) =>
    ['-', '+'].map((sign) =>
      lines
        .filter((line) => line[0] === ' ' || line[0] === sign)
        .map((line) => line.slice(1))
        .join('\n'),
    ),
  );

/** The texts, numbers and names in a value. */
function leavesOf(value: unknown): string[] {
  if (typeof value !== 'object' || value === null)
    return [typeof value === 'string' ? value : JSON.stringify(value)];
  return Object.entries(value).flatMap(([name, one]) => [
    ...(/^extra/.test(name) ? [name] : []),
    ...leavesOf(one),
  ]);
}

function missingIn(tool: string, input: object): string[] {
  const text = shown(tool, input);
  const sides = sidesOf(text);
  const isShown = (leaf: string) =>
    text.includes(leaf) ||
    text.includes(JSON.stringify(leaf)) ||
    text.includes(code(leaf)) ||
    sides.includes(leaf);
  return leavesOf(input).filter(
    (leaf) =>
      !isShown(leaf) &&
      !(leaf === 'true' && text.includes('@@ everywhere')) &&
      !(leaf === 'false' && text.includes('@@ once')),
  );
}

const hidden = 'HIDDEN';
test.each<[string, string, object]>([
  ['a path beside a command', 'mcp__ssh__run', { command: 'rm -rf build', file_path: '/srv/HIDDEN' }],
  ['content beside no changes', 'mcp__fs__save', { file_path: '/a', edits: [], content: hidden }],
  [
    'content beside a change',
    'mcp__fs__save',
    { file_path: '/a', old_string: 'a', new_string: 'b', content: hidden },
  ],
  [
    'changes beside content',
    'Write',
    { file_path: '/a', content: 'ok', edits: [{ old_string: 'x', new_string: hidden }] },
  ],
  ['a change beside content', 'Write', { file_path: '/a', content: 'ok', old_string: hidden }],
  ['a reason beside content', 'Write', { file_path: '/a', content: 'ok', description: hidden }],
  [
    'a further member of a change',
    'MultiEdit',
    { file_path: '/a', edits: [{ old_string: 'a', new_string: 'b', extra: hidden }] },
  ],
  [
    'changes beside a change',
    'Edit',
    { file_path: '/a', old_string: 'a', new_string: 'b', edits: [{ old_string: 'a', new_string: hidden }] },
  ],
  ['a reason that is an object', 'mcp__x__run', { command: 'ls', description: { hidden } }],
  [
    'a setting that is no boolean',
    'Edit',
    { file_path: '/a', old_string: 'a', new_string: 'b', replace_all: hidden },
  ],
])('shows %s', (_what, tool, input) => {
  expect(shown(tool, input)).toContain(hidden);
  expect(missingIn(tool, input)).toEqual([]);
});

test('shows a member `__proto__`', () => {
  const text = describeToolCall(request('Bash', '{"command":"ls","__proto__":{"cwd":"/HIDDEN"}}'));
  expect(text).toContain(hidden);
});

test.each([
  '/a\n/../../.bashrc',
  '/a /../../.bashrc',
  ' /a',
  '/a ',
  '/a  b',
  '/a\tb',
  '/a\u00a0b',
  '/a\u2028b',
  '/a`b',
  '"/a\\n"',
  '`',
  '',
])('no other path looks like %j', (path) => {
  const text = shown('Write', { file_path: path, content: '' });
  const [, line = ''] = /^The file (`+)(.*)\1:$/m.exec(text)?.slice(1) ?? [];
  expect(line.startsWith('"') ? JSON.parse(line) : line).toBe(path);
  expect(line).not.toMatch(/[^\S ]/);
  expect(line.startsWith('"') || !/^ | $| {2}/.test(line)).toBe(true);
});

test.each(['9007199254740993', '0.30000000000000001', '1e-400'])(
  'is not asked for the number %s, which would be shown as another one',
  (text) => {
    expect(() => request('Bash', `{"command":"1","id":[${text}]}`)).toThrow('cannot be shown as it is');
    expect(() => request('Bash', `{"command":"${text} \\" ${text}"}`)).not.toThrow();
  },
);

test('is not asked for two members of one name, of which another program could take the other one', () => {
  expect(() => request('Bash', '{"command":"rm -rf /","command":"ls"}')).toThrow('two members of one name');
});

describe('each text and number of an input is shown exactly', () => {
  const names = [
    'command',
    'description',
    'file_path',
    'content',
    'old_string',
    'new_string',
    'edits',
    'replace_all',
    'extra',
  ];
  const texts = [
    '',
    'a',
    'one\ntwo',
    '`',
    '```\n',
    '"',
    '\\',
    ' x ',
    '\t',
    '  ',
    '\r\n',
    '# x',
    '*',
    '***',
    '<b>',
    '@@ everywhere',
    '-',
    '+',
    'é',
    '\u200b',
  ];
  let state = 1;
  const random = (below: number) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
  const pick = <T>(list: readonly T[]): T => list[random(list.length)] as T;
  let count = 0;
  const next = () => {
    count += 1;
    return count;
  };
  const text = () => `${pick(texts)}v${next()}${pick(texts)}`;
  const members = (some: readonly string[], least: number, value: (name: string) => unknown) =>
    Object.fromEntries(some.filter(() => random(3) >= least).map((name) => [name, value(name)]));
  function value(name: string): unknown {
    if (name === 'edits' && random(4) > 0)
      return Array.from({ length: random(3) }, () => ({
        old_string: text(),
        new_string: text(),
        ...members(['replace_all', 'extra'], 2, value),
      }));
    if (name === 'replace_all' && random(4) > 0) return random(2) === 0;
    const kind = random(12);
    if (kind > 3) return text();
    if (kind === 0) return [text(), { [`extra${next()}`]: text() }];
    return pick([null, random(1e9), -random(1e6) / 8, true, {}, []]);
  }

  test.each(['Bash', 'Write', 'Edit', 'MultiEdit', 'apply_patch', 'mcp__fs__save'])('of %s', (tool) => {
    for (let round = 0; round < 1_000; round += 1) {
      const input = members(names, random(3), value);
      const missing = missingIn(tool, input);
      expect({ input: missing.length > 0 && input, missing }).toEqual({ input: false, missing: [] });
    }
  });
});
