import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@expert-relay/testkit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { commands } from '../run.ts';
import { scripts } from './completion/scripts.ts';

// Part of util-linux, which every Debian has.
const pseudoTerminal = 'script';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'relay-completion-'));
  writeFileSync(join(folder, 'bash'), scripts.bash(commands));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** What bash offers for the last of these words. */
function offered(...words: string[]): string[] {
  const script = `source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _relay; printf "%s\\n" "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = spawnSync(
    'bash',
    ['--norc', '-c', script, 'bash', join(folder, 'bash'), ...words],
    { encoding: 'utf8' },
  );
  expect(stderr).toBe('');
  return stdout.split('\n').filter(Boolean);
}

describe('bash', () => {
  test('offers each command', () => {
    expect(offered('relay', '')).toEqual([...commands.map(({ name }) => name), 'help']);
  });

  test('offers each option of a command', () => {
    for (const { name, options } of commands)
      expect(offered('relay', name, '--')).toEqual(Object.keys(options).map((option) => `--${option}`));
  });

  test.each([
    [['who'], ['whoami']],
    [
      ['keys', 're'],
      ['recovery', 'restore'],
    ],
    [['keys', '--json', 'f'], ['forget']],
    [
      ['mcp', 'config', 'c'],
      ['claude-code', 'claude-desktop', 'cursor', 'codex'],
    ],
    [
      ['hook', 'install', ''],
      ['claude', 'codex'],
    ],
    [
      ['show', '--profile', ''],
      ['agent', 'expert'],
    ],
    [['help', 'ex'], ['exit-codes']],
    [
      ['completion', ''],
      ['bash', 'zsh', 'fish'],
    ],
    // bash itself completes the names of files then.
    [['ask', '--context', '--'], []],
    [['ask', 'Why'], []],
  ])('%j', (words, expected) => {
    expect(offered('relay', ...words)).toEqual(expected);
  });

  test('completes at the prompt of a shell', async () => {
    const command = 'bash --norc --noprofile -i';
    const shell = spawn(pseudoTerminal, ['-qec', command, '/dev/null'], {
      cwd: folder,
      env: { PATH: process.env.PATH, HOME: folder, TERM: 'dumb', PS1: '> ' },
    });
    try {
      let printed = '';
      shell.stdout.setEncoding('utf8').on('data', (text: string) => {
        printed += text;
      });
      const shows = (pattern: RegExp) =>
        eventually(
          () => `${pattern} in ${printed}`,
          () => pattern.exec(printed),
        );
      shell.stdin.write('source ./bash; echo is $((1 + 1)) ready\n');
      await shows(/is 2 ready/);
      shell.stdin.write('relay webh\trem\t');
      await shows(/relay webhooks remove /);
    } finally {
      const ended = new Promise((resolve) => shell.once('close', resolve));
      shell.stdin.end('\u0003exit\n');
      await ended;
    }
  });
});

/* They are not on every machine that runs these tests. */
test.each(['zsh', 'fish'] as const)('the script for %s has each command and option', (shell) => {
  const script = scripts[shell](commands);
  for (const { name, options } of commands)
    for (const word of [name, ...Object.keys(options)]) expect(script).toContain(word);
});
