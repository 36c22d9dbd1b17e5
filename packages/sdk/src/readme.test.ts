import { readFileSync } from 'node:fs';
import { type Constellation, startConstellation } from '@expert-relay/constellation';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { runProgram } from './testing/run-program.ts';

let world: Constellation;

beforeAll(async () => {
  world = await startConstellation();
});
afterAll(async () => world.stop());

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
const [ask = '', talk = '', resume = '', answer = ''] = [...readme.matchAll(/```ts\n(.*?)```/gs)].map(
  ([, code]) => code ?? '',
);

test('the README works as it stands', async () => {
  const { consumerKey, providerKey } = await world.makeTenant();
  const env = { RELAY_URL: world.gatewayUrl, RELAY_API_KEY: consumerKey, RELAY_PROVIDER_KEY: providerKey };
  const expert = await runProgram(`const { RELAY_URL: url } = process.env;\n${answer}`, env);
  const asked = ask.slice(0, ask.indexOf('const answer'));
  const programs = [
    await runProgram(`${ask}${resume}console.log(again.refCode === conversation.refCode);`, env),
    await runProgram(asked + talk, env),
  ];
  expect(await Promise.all(programs.map(({ ended }) => ended))).toEqual([0, 0]);
  expert.kill();
  expect(programs.map(({ output }) => output())).toEqual([
    'You asked: May I remove the lock file?\ntrue\n',
    'You asked: May I remove the lock file?\n',
  ]);
});
