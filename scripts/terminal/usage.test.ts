import { spawnSync } from 'node:child_process';
import { expect, test } from '@jest/globals';

test.each([
  ['start', 'nonsense', /"nonsense" is not expected/],
  ['faults', 'nonsense', /npm run faults -- --seeds 1\.\.50/],
  ['bench', '--nonsense', /Unknown option '--nonsense'/],
])('%s %s: a sentence, no stack, and exit code 2', (command, argument, sentence) => {
  const { status, stderr } = spawnSync(process.execPath, ['scripts/run.mjs', command, argument], {
    encoding: 'utf8',
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringMatching(sentence) });
  expect(stderr).not.toMatch(/^ +at /m);
});
