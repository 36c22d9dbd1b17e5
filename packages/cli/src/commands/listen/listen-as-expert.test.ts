import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openTwoSides, type TwoSides } from '../../testing/two-sides.ts';

let sides: TwoSides;

beforeAll(async () => {
  sides = await openTwoSides();
  await sides.run(['keys', 'make'], { env: sides.expert });
});
afterAll(() => sides.stop());

test('a machine without the keys of a conversation is told how to bring them there', async () => {
  const asked = await sides.run(['ask', 'Who reads this?', '--context', '-', '--no-wait'], {
    env: sides.agent,
    input: '[{"role": "user", "content": "Before."}]',
  });
  const refCode = asked.stdout.trim();
  const env = { ...sides.expert, RELAY_CONFIG_DIR: `${sides.folder}/bare` };
  const listening = sides.start(['listen'], { env });
  await listening.said(new RegExp(`${refCode} .* waits\\n  Who reads this\\?`));
  expect((await sides.run(['answer', refCode, 'I do.'], { env: sides.expert })).code).toBe(0);
  await sides.run(['ask', '--resume', refCode, 'And who else?', '--no-wait'], { env: sides.agent });
  await listening.said(new RegExp(`${refCode} +cannot be read here\\n.*relay keys restore`));
  listening.kill('SIGINT');
  expect((await listening.ended).code).toBe(130);
});
