import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from '@jest/globals';
import { identify, isRunning } from './running-process.ts';

test('a process keeps its identity while it runs, and has none afterwards', async () => {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
  const pid = child.pid ?? 0;
  const identity = identify(pid) ?? '';
  expect(identity).not.toBe('');
  expect(isRunning({ pid, identity })).toBe(true);
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(identify(pid)).toBeUndefined();
  expect(isRunning({ pid, identity })).toBe(false);
});

test('another process with the same pid is not taken for it', () => {
  expect(isRunning({ pid: process.pid, identity: 'some earlier start' })).toBe(false);
});
