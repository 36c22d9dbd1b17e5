import { expect, test } from '@jest/globals';
import { createTerminal } from './terminal.ts';

function record(isTTY: boolean) {
  const written: string[] = [];
  const output = { isTTY, write: (text: string | Uint8Array) => written.push(String(text)) > 0 };
  return { written, terminal: createTerminal(output) };
}

test('where output is kept, a step is one plain line with its time', async () => {
  const { written, terminal } = record(false);
  await terminal.step('servers', async (detail) => detail('Redis 7.0.15'));
  terminal.line('  ready');
  expect(written.join('')).toMatch(/^ {2}✓ servers {4}Redis 7\.0\.15 {2}0\.0 s\n {2}ready\n$/);
});

test('a step that fails is marked, and its error goes on', async () => {
  const { written, terminal } = record(false);
  await expect(terminal.step('build', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(written.join('')).toMatch(/^ {2}✗ build {2}0\.0 s\n$/);
});

test('on a terminal the line is there from the beginning, and other lines do not break it', async () => {
  const { written, terminal } = record(true);
  await terminal.step('build', async () => terminal.line('  ! hub is back'));
  const shown = written.join('').split('\r\u001b[K');
  expect(shown.slice(0, 4)).toEqual(['', '  … build', '  ! hub is back\n', '  … build']);
});
