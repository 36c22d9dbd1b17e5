import { writeFileSync } from 'node:fs';
import { expect, jest, test } from '@jest/globals';
import { reportFailure, StepError } from './failure.ts';

function reportOf(failing: () => void): string {
  const print = jest.spyOn(console, 'error').mockImplementation(() => undefined);
  try {
    failing();
  } catch (error) {
    expect(reportFailure(error)).toBe(1);
  }
  const printed = print.mock.calls.map(([text]) => String(text)).join('');
  print.mockRestore();
  return printed.trim();
}

test('a disk that is full for this process, a compiler or a server: one sentence', () => {
  const sentence = /^The disk is full( \(\S+\))?\. Free about 1 GB, then run the same command again\.$/;
  const servers = ['FATAL:  could not write lock file "postmaster.pid": No space left on device'];
  const failWith = (output: string[]) => () => {
    throw new StepError('postgres did not start.', { output });
  };
  expect(reportOf(failWith(servers))).toMatch(sentence);
  expect(reportOf(failWith(['error: write hub.js: ENOSPC']))).toMatch(sentence);
  // A device that is always full.
  if (process.platform === 'linux') expect(reportOf(() => writeFileSync('/dev/full', 'x'))).toMatch(sentence);
});

test('a file that the system refuses: its sentence, without a stack', () => {
  expect(reportOf(() => writeFileSync('/proc/none/here', 'x'))).toMatch(
    /^E[A-Z]+: [^\n]+ '\/proc\/none\/here'$/,
  );
});
