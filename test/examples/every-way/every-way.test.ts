import { join } from 'node:path';
import { type Constellation, startConstellation } from '@expert-relay/constellation';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type CommandRunner, createCommandRunner } from '../../../packages/cli/src/testing/command-runner.ts';
import { findClientPython, pythonClient } from '../../../scripts/python/build-package.ts';
import { whyMissing } from '../../../scripts/servers/find-tool.ts';
import { testUnless } from '../../../scripts/testing/test-unless.ts';
import { runExample } from '../run-example.ts';
import { pairs, type Way, wayOf } from './ways.ts';
import { type Answered, type Answering, expectedOf, waysToAnswer } from './ways-to-answer.ts';
import { type Asking, type Surroundings, waysToAsk } from './ways-to-ask.ts';

/*
 * Every way to ask, and every way to answer at once. Either the agent gets the answer, or the expert gets a refusal that says what to
 * do, which the expert here then does: never is an answer accepted that the agent does not count.
 */

const python = await findClientPython('requirements.txt');
const program = 'program' in python ? python.program : '';

let relay: Constellation;
let commands: CommandRunner;
let asks: ReturnType<typeof waysToAsk>;
let opens: ReturnType<typeof waysToAnswer>;
const answerers = new Map<Answered, Promise<Answering>>();
const stops: (() => unknown)[] = [];

beforeAll(async () => {
  relay = await startConstellation();
  commands = await createCommandRunner();
  const runPython: Surroundings['python'] = (path, args, env) =>
    runExample([program, join(import.meta.dirname, path), ...args], {
      ...env,
      PYTHONPATH: join(pythonClient, 'src'),
      PYTHONDONTWRITEBYTECODE: '1',
    });
  const surroundings = { url: relay.gatewayUrl, commands, stops, python: runPython };
  asks = waysToAsk(surroundings);
  opens = waysToAnswer(relay, surroundings);
});

afterAll(async () => {
  for (const stop of stops) await stop();
  await commands.stop();
  await relay.stop();
});

async function endsWell(asking: Asking, answering: Answered, way: Way): Promise<void> {
  const opened = answerers.get(answering) ?? opens[answering]();
  answerers.set(answering, opened);
  const expert = await opened;
  const { refCode, got } = await asks[asking](expert, way);
  await expert.answer(refCode, way);
  expect(await got).toEqual(expectedOf(expert, way));
}

const ofSdk: readonly Answered[] = [
  'the SDK with a key',
  'the SDK with a session',
  'examples/expert-bot.mjs',
  'bare HTTP',
];
test.each(ofSdk.flatMap((answering) => pairs.map((way) => [answering, way.name, way] as const)))(
  'asked by the SDK, answered by %s: %s',
  (answering, _, way) => endsWell('the SDK', answering, way),
  150_000,
);

type Row = readonly [Asking, Answered, Way];
const rows: readonly Row[] = [
  ['Python', 'relay answer', wayOf('question', 'file')],
  ['Python', 'relay answer', wayOf('form', 'confidential', 'name')],
  ['Python', 'the SDK with a session', wayOf('approval', 'confidential', 'file')],
  ['Python', 'examples/expert-bot.mjs', wayOf('question', 'confidential')],
  ['the command line', 'relay answer', wayOf('question', 'confidential', 'file')],
  ['the command line', 'relay answer', wayOf('form', 'file')],
  ['the command line', 'relay answer', wayOf('choice', 'name')],
  ['the command line', 'the SDK with a session', wayOf('choice', 'file')],
  ['the command line', 'Python', wayOf('approval', 'file', 'name')],
  ['the command line', 'Python', wayOf('choice', 'confidential')],
  ['the command line', 'examples/expert-bot.mjs', wayOf('question', 'file')],
  ['the command line', 'examples/expert-bot.mjs', wayOf('question', 'confidential')],
  ['the command line', 'expert_bot.py', wayOf('question', 'confidential', 'file')],
  ['the command line', 'examples/approval-bot.mjs', wayOf('approval')],
  ['the command line', 'examples/approval-bot.mjs', wayOf('approval', 'file')],
  ['the command line', 'approval_bot.py', wayOf('approval', 'confidential')],
  ['MCP', 'relay answer', wayOf('question', 'file')],
  ['MCP', 'relay answer', wayOf('approval', 'confidential')],
  ['MCP', 'Python', wayOf('form', 'confidential', 'file', 'name')],
  ['MCP', 'examples/expert-bot.mjs', wayOf('question', 'confidential')],
  ['MCP', 'bare HTTP', wayOf('question')],
  ['the hook', 'relay answer', wayOf('approval')],
  ['the hook', 'relay answer', wayOf('approval', 'confidential')],
  ['the hook', 'the SDK with a key', wayOf('approval', 'confidential')],
  ['bare HTTP', 'relay answer', wayOf('question', 'plain text')],
  ['bare HTTP', 'the SDK with a key', wayOf('question', 'plain text')],
  ['bare HTTP', 'bare HTTP', wayOf('question', 'plain text')],
  ['the SDK', 'relay answer', wayOf('choice', 'confidential', 'file')],
  ['the SDK', 'Python', wayOf('question', 'file')],
  ['the SDK', 'expert_bot.py', wayOf('approval', 'file')],
  ['the SDK', 'examples/approval-bot.mjs', wayOf('approval', 'confidential')],
  ['the SDK', 'approval_bot.py', wayOf('approval', 'file', 'name')],
];
const needsPython = (row: Row) => row.some((side) => /^Python$|\.py$/.test(String(side)));
const named = (some: readonly Row[]) => some.map((row) => [row[0], row[1], row[2].name, row[2]] as const);
const title = 'asked by %s, answered by %s: %s';
const run = (asking: Asking, answering: Answered, _: string, way: Way) => endsWell(asking, answering, way);
test.each(named(rows.filter((row) => !needsPython(row))))(title, run, 150_000);
testUnless(whyMissing(python)).each(named(rows.filter(needsPython)))(title, run, 150_000);
