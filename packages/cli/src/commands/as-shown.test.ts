import { type ContextMessage, createRelay } from '@expert-relay/sdk';
import type { Form } from '@expert-relay/sdk/forms';
import { describe, expect, test } from '@jest/globals';
import { later, useAgent, useTestCli } from '../testing/test-cli.ts';

/* What an expert signs, approves or fills in was printed as it is: the whole question first. */

const cli = useTestCli();
const agent = useAgent(cli);

const context: readonly ContextMessage[] = Array.from({ length: 10 }, (_, index) => ({
  role: 'user',
  content: `Before ${index}: ${'x'.repeat(index === 0 ? 40_000 : 10)} end ${index}.`,
}));
const form: Form = {
  type: 'object',
  properties: { command: { type: 'string', maxLength: 80, default: 'ls\nrm -rf ~' } },
};
const asked = { question: 'May I clean /tmp?', plaintext: 'May I drop prod?', messages: context, form };

/** All that the signature of an expert covers, and a text that stands for it in the output. */
const signed = [
  ...['May I clean /tmp?', 'May I drop prod?', 'deploy bot'],
  ...context.map((_, index) => `end ${index}.`),
];

const ofEncrypted = [
  ['show', 'HS'],
  ['show', 'HS', '--json'],
  ['show', '--json'],
  ['listen'],
  ['listen', '--json'],
  ['listen', 'HS'],
];
/* The same functions print both kinds: of the plain question, each printer once. */
const ofPlain = [
  ['show', 'HS'],
  ['listen', '--json'],
];

describe.each([
  ['encrypted', true, ofEncrypted],
  ['plain', false, ofPlain],
])('all of an %s question is printed before it counts as shown', (_, encrypted, rows) => {
  test.each(rows)('by relay %s %s %s', async (...words) => {
    const named = createRelay({
      url: cli.relay.gatewayUrl,
      apiKey: cli.agent.RELAY_API_KEY ?? '',
      agentName: 'deploy bot',
    });
    const { refCode } = await named.ask({ ...asked, encrypted });
    named.stop();
    const args = words.filter(Boolean).map((word) => (word === 'HS' ? refCode : word));
    const env = { ...cli.expert, NO_COLOR: '1' };
    let text: string;
    if (args[0] === 'show') text = (await cli.run(args, { env })).stdout;
    else {
      const listening = cli.start(args, { env });
      await listening.printed(new RegExp(`${refCode}[\\s\\S]*rm -rf ~`));
      const last = await agent().ask({ question: 'The last one?', encrypted: false });
      if (!args.includes(refCode)) await listening.printed(new RegExp(last.refCode));
      listening.kill('SIGTERM');
      text = (await listening.ended).stdout;
    }
    for (const part of signed) expect(text).toContain(part);
    // The line break of the default is shown, too.
    expect(text).toMatch(/default: *\n *\| ls\n *\| rm -rf ~\n|"default":"ls\\nrm -rf ~"/);
  });
});

test('--approve and the prompts send what they have shown', async () => {
  const conversation = await agent().ask({ ...asked, question: 'Which command?' });
  const { refCode } = conversation;
  await cli.asExpert('show', refCode);
  const env = { ...cli.expert, NO_COLOR: '1' };
  const { code, stdout } = await cli.run(['answer', refCode, '--approve'], { env, ...later });
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: expect.stringMatching(/- command:\n {4}\| ls\n {4}\| rm -rf ~\n/),
  });
  expect(await conversation.waitForDecision({ timeoutMs: 60_000 })).toMatchObject({
    content: { command: 'ls\nrm -rf ~' },
  });
  const prompted = await agent().ask({ ...asked, question: 'And now?' });
  await cli.asExpert('show', prompted.refCode);
  const run = cli.start(['answer', prompted.refCode], { env, ...later, columns: 80 });
  await run.printed(/\| rm -rf ~[\s\S]*Fill it in\?/);
  run.type('f\n');
  await run.printed(/command \(Enter = default[^)]*\):/);
  run.type('\n');
  await run.printed(/Your answer:\s+- command:\s+\| ls\s+\| rm -rf ~\s[\s\S]*Send it\?/);
  run.type('d\n');
  await run.printed(/Why, in words/);
  run.type('Not this.\n');
  expect((await run.ended).code).toBe(0);
});

test('how the other side has closed it is shown by relay listen of one request', async () => {
  const conversation = await agent().ask({ question: 'May I?', encrypted: false });
  const { refCode } = conversation;
  const listening = cli.start(['listen', refCode, '--json'], { env: cli.expert });
  await listening.printed(/May I\?/);
  await conversation.close({ reason: 'It is gone.' });
  const { stdout } = await listening.ended;
  expect(JSON.parse(stdout.trim().split('\n').at(-1) ?? '')).toMatchObject({
    type: 'ended',
    status: 'closed',
    closedBy: 'agent',
    closeReason: 'It is gone.',
  });
});
