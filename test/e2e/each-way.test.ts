import { type Constellation, startConstellation } from '@expert-relay/constellation';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type CommandRunner, createCommandRunner } from '../../packages/cli/src/testing/command-runner.ts';
import { wayOf } from '../examples/every-way/ways.ts';
import { expectedOf, waysToAnswer } from '../examples/every-way/ways-to-answer.ts';
import { waysToAsk } from '../examples/every-way/ways-to-ask.ts';

/* One cheap row of each way. The whole table is in examples/every-way. */

let relay: Constellation;
let commands: CommandRunner;
const stops: (() => unknown)[] = [];
beforeAll(async () => {
  relay = await startConstellation();
  commands = await createCommandRunner();
});
afterAll(async () => {
  for (const stop of stops) await stop();
  await commands.stop();
  await relay.stop();
});

test.each([
  ['the SDK', 'the SDK with a key', wayOf('question', 'confidential', 'file')],
  ['the SDK', 'the SDK with a session', wayOf('form', 'file', 'name')],
  ['the SDK', 'relay answer', wayOf('choice')],
  ['the command line', 'the SDK with a key', wayOf('approval')],
  ['bare HTTP', 'bare HTTP', wayOf('question', 'plain text')],
] as const)('asked by %s, answered by %s', async (asking, answering, way) => {
  const python = () => {
    throw new Error('Python is in examples/every-way.');
  };
  const surroundings = { url: relay.gatewayUrl, commands, stops, python };
  const expert = await waysToAnswer(relay, surroundings)[answering]();
  const { refCode, got } = await waysToAsk(surroundings)[asking](expert, way);
  await expert.answer(refCode, way);
  expect(await got).toEqual(expectedOf(expert, way));
});
