import { expect, test } from '@jest/globals';
import { formatChaosResult } from './format-result.ts';
import { makeChaosResult } from './result.ts';
import { defaults, readChaosSettings } from './settings.ts';

/* A check that finds no error must be able to find one. */

const periods = {
  before: { from: 0, to: 100 },
  during: { from: 100, to: 200 },
  after: { from: 200, to: 300 },
};
const timings = (during: number) =>
  Array.from({ length: 1_200 }, (_, index) => ({
    at: index / 4,
    ms: index >= 400 && index < 800 ? during : 5,
    isFinal: true,
  }));
const memory = (after: number) => ({
  before: { gateway: 100 },
  during: { gateway: 150 },
  after: { gateway: after },
});
const checked = {
  seed: 1,
  faults: [],
  expected: 10,
  delivered: 10,
  lost: 0,
  duplicated: 0,
  outOfOrder: 0,
  resets: 0,
  ends: { requests: 1, expired: 1, early: 0, duplicated: 0, missing: 0, latest: 0 },
  remarks: [],
  failures: [],
};
const good = {
  settings: defaults,
  node: 'v20.0.0',
  done: { report: 'done', started: 100, seconds: 1, outcomes: { 200: 100 } } as const,
  seconds: 10,
  periods,
  timings: timings(10),
  memory: memory(110),
  retries: new Map<string, number>(),
  checked,
  endedProcesses: [],
  logProblems: [],
  described: [],
};

test('a good run passes', () => {
  const result = makeChaosResult(good);
  expect(result.failures).toEqual([]);
  expect(formatChaosResult(result)).toMatch(/honest p99 +5.0 ms +10.0 ms \(2.0 x\) +5.0 ms\n(.|\n)*passed$/);
});

test.each([
  ['slow responses', { timings: timings(16) }, 'p99 grew to 3.2 times', false],
  ['memory that is kept', { memory: memory(121) }, 'gateway kept 21 % more memory', false],
  [
    'a response that is lost',
    { retries: new Map([['no response (ECONNRESET)', 1]]) },
    '1 honest calls got no response (ECONNRESET)',
    true,
  ],
  ['a refusal of an honest call', { retries: new Map([['503', 2]]) }, '2 honest calls got a 503', false],
  ['a lost event', { checked: { ...checked, failures: ['1 events were lost'] } }, '1 events were lost', true],
  [
    'a process that ended',
    {
      endedProcesses: [
        { name: 'hub', pid: 7, at: 50, recent: [{ index: 12, to: 'hub', title: 'x', beganAt: 40 }] },
      ],
    } as const,
    'hub (pid 7) ended',
    true,
  ],
  [
    'an unexpected error',
    { logProblems: [{ service: 'hub', text: 'unexpected error: ending', times: 1, isFatal: true }] } as const,
    'hub: unexpected error: ending',
    true,
  ],
])('%s fails a run', (_, change, failure, isBroken) => {
  const result = makeChaosResult({ ...good, ...change });
  expect(result.failures).toEqual([expect.stringContaining(failure)]);
  expect(result.broken.length > 0).toBe(isBroken);
});

test('the connections before the end of a process are listed, with the command that repeats them', () => {
  const recent = [3, 5, 4].map((index) => ({
    index,
    to: 'hub' as const,
    title: `t${index}`,
    beganAt: index,
  }));
  const text = formatChaosResult(
    makeChaosResult({ ...good, endedProcesses: [{ name: 'hub', pid: 7, at: 9, recent }] }),
  );
  expect(text).toMatch(/ 5, 4 ms before: t5\n +4, .*\n +3, /);
  expect(text).toContain('npm run faults -- chaos --seed 1 --only 3..5');
});

test.each([
  [[], defaults],
  [['--seed', '7', '--connections', '200'], { ...defaults, seed: 7, connections: 200, warmUp: 200 }],
  [['--only', '3,5..7'], { ...defaults, only: [3, 5, 6, 7], warmUp: 0, quietMs: 3_000 }],
  [['--node', '22', '--limits', '--rate', '50'], { ...defaults, node: '22', limits: true, perSecond: 50 }],
])('%j is read', (args, settings) => expect(readChaosSettings(args)).toEqual(settings));

test.each([
  [['7']],
  [['--seed', 'x']],
  [['--only', '5..2']],
  [['--node', 'lts']],
  [['--rate', '0']],
  [['--again']],
])('%j is refused with the usage', (args) =>
  expect(() => readChaosSettings(args)).toThrow(/^[^\n]*\.[^\n]*\n\n {2}npm run faults -- chaos/),
);
