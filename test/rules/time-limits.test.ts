import { describe, expect, test } from '@jest/globals';
import { isCode, isTest, readTree, type Tree } from './tree.ts';

/** The web app runs in browsers, where both signals work; `fetch` of a source of servers is another function. */
const exempt = (path: string) => /^(services\/dashboard\/web|scripts\/servers)\//.test(path) || isTest(path);

/** Calls of `fetch`, but not of a method or a function with that name. */
const fetchCall = /(?<![\w.$]|function )fetch\(/;

/** Files that call `fetch`, each with a limit that works against a server that responds slowly, or never. */
const limited: Readonly<Record<string, RegExp>> = {
  'packages/sdk/src/transport/api.ts': /withTimeout\([\s\S]*await fetch\([\s\S]*readText\(/,
  // Called by `hub-stream.ts`, with a limit for the head, and for silence.
  'packages/sdk/src/transport/open-stream.ts': /await fetch\([\s\S]*\bsignal \}/,
  'packages/cli/src/relay/fetch-answer.ts': /withTimeout\([\s\S]*await fetch\([\s\S]*readText\(/,
  'packages/cli/src/commands/doctor/check-hub.ts': /withTimeout\([\s\S]*await fetch\([\s\S]*readBeginning\(/,
};

function unlimitedCalls(tree: Tree): string[] {
  return [...tree].flatMap(([path, text]) => {
    if (!isCode(path) || exempt(path)) return [];
    const problems: string[] = [];
    if (/AbortSignal\.any\([^;]*AbortSignal\.timeout/s.test(text))
      problems.push(`${path}: Node 20.20 never aborts such a signal. Use withTimeout.`);
    const isShipped = /^(packages|services)\//.test(path);
    const calls = text.split('\n').filter((line) => fetchCall.test(line) && !/^\s*(\*|\/\/)/.test(line));
    const inTime = isShipped ? limited[path] : /AbortSignal\.timeout\(/;
    if (calls.length > 0 && !inTime?.test(text))
      problems.push(`${path}: fetch has no time limit. In packages use withTimeout and readText.`);
    return problems;
  });
}

describe('every outgoing call has a time limit that works', () => {
  test.each([
    ['packages/cli/src/a.ts', 'await fetch(url, { signal });', 'fetch has no time limit'],
    ['scripts/a.mjs', 'const answer = await fetch(url);', 'fetch has no time limit'],
    ['services/a/src/a.ts', 'const all = [fetch(url)];', 'fetch has no time limit'],
    ['scripts/a.ts', 'AbortSignal.any([\n  signal,\n  AbortSignal.timeout(5),\n])', 'never aborts'],
    [
      'packages/cli/src/relay/fetch-answer.ts',
      'fetch(url, { signal: AbortSignal.timeout(5) })',
      'no time limit',
    ],
  ])('%s with %j is reported', (path, text, problem) => {
    expect(unlimitedCalls(new Map([[path, text]]))).toEqual([expect.stringContaining(problem)]);
  });

  test('in this repository', () => {
    const tree = new Map(
      [...readTree()].filter(([path]) => /^(packages|services|scripts|examples)\//.test(path)),
    );
    expect(tree.size).toBeGreaterThan(300);
    expect(unlimitedCalls(tree)).toEqual([]);
  });
});
