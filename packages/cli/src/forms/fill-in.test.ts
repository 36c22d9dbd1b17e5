import type { Form } from '@expert-relay/sdk/forms';
import { expect, test } from '@jest/globals';
import { later, useAgent, useTestCli } from '../testing/test-cli.ts';

/* A form at a terminal, as a person fills it in. */

const cli = useTestCli();
const agent = useAgent(cli);

const approval: Form = { type: 'object', properties: {} };
const form: Form = {
  type: 'object',
  properties: {
    region: {
      type: 'string',
      title: 'Where?',
      oneOf: [
        { const: 'eu', title: 'Europe' },
        { const: 'us', title: 'America' },
      ],
    },
    days: { type: 'array', items: { type: 'string', enum: ['mon', 'tue', 'wed'] } },
    size: { type: 'string', enum: ['3', '1', '2'] },
    count: { type: 'integer', maximum: 9, default: 3 },
    note: { type: 'string', default: 'none' },
    mail: { type: 'string', format: 'email' },
    sure: { type: 'boolean' },
  },
  required: ['region', 'size', 'count', 'sure'],
};

/** A terminal moves the cursor behind a prompt. */
const atEnd = ({ source }: RegExp) => new RegExp(source.replace(/\$$/, '(?:\\u001b\\[\\d*[A-Z])*$'));

/** Types each answer once its prompt is there. */
async function type(asked: Form, lines: readonly (readonly [prompt: RegExp, line: string])[]) {
  const conversation = await agent().ask({ question: 'May I?', form: asked });
  const { refCode } = conversation;
  expect((await cli.asExpert('show', refCode)).code).toBe(0);
  const env = { ...cli.expert, NO_COLOR: '1' };
  const run = cli.start(['answer', refCode], { env, ...later, columns: 80 });
  for (const [prompt, line] of lines) {
    await run.printed(atEnd(prompt));
    run.type(line);
  }
  return { conversation, ended: await run.ended };
}

test('each field has a prompt, wrong values are asked again, and the agent gets what was sent', async () => {
  const { conversation, ended } = await type(form, [
    [/Fill it in\?.* $/, 'f\n'],
    [/region: $/, '\n'],
    [/This is required\.[\s\S]*region: $/, 'mars\n'],
    [/Choose one of the options\.[\s\S]*region: $/, 'europe\n'],
    [/days \(with commas, Enter = leave empty\): $/, '1, wed\n'],
    // Here a number is the option, and not its position.
    [/size: $/, '1\n'],
    [/count \(Enter = default\): $/, '10\n'],
    [/At most 9\.[\s\S]*count \(Enter = default\): $/, '\n'],
    [/note \(.*- = leave empty\): $/, '-\n'],
    [/mail .*: $/, 'ada\n'],
    [/Give an email address[\s\S]*mail .*: $/, '\n'],
    [/sure: $/, 'n\n'],
    [/Send it\?.* $/, 's\n'],
    [/A comment.* $/, 'Carefully.\n'],
  ]);
  expect(ended.code).toBe(0);
  expect(await conversation.waitForDecision({ timeoutMs: 60_000 })).toMatchObject({
    action: 'accept',
    content: { region: 'eu', days: ['mon', 'wed'], size: '1', count: 3, sure: false },
    comment: 'Carefully.',
  });
});

test.each<[string, Form, string, string | undefined]>([
  ['a', approval, 'a', 'accept'],
  ['d', approval, 'd', 'decline'],
  ['d, for a form', form, 'd', 'decline'],
  ['Enter', approval, '', undefined],
  ['Enter, for a form', form, '', undefined],
  ['yes, which is not what was asked', approval, 'yes', undefined],
])('%s decides, and nothing else does', async (_name, asked, letter, action) => {
  const { conversation, ended } = await type(asked, [
    [/Enter = neither\) $/, `${letter}\n`],
    ...(action ? [[/\(or Enter\): $/, 'Because.\n'] as const] : []),
  ]);
  expect(ended.code).toBe(action ? 0 : 12);
  const decision = conversation.waitForDecision({ timeoutMs: action ? 60_000 : 1 });
  if (action) expect(await decision).toMatchObject({ action, comment: 'Because.' });
  else await expect(decision).rejects.toMatchObject({ code: 'timeout' });
});

test('a form that is prefilled, as that of a tool call, can be approved as it is', async () => {
  const call: Form = {
    type: 'object',
    properties: { path: { type: 'string', default: '/var/log' }, force: { type: 'boolean', default: false } },
    required: ['path'],
  };
  const { conversation, ended } = await type(call, [
    [/default: \/var\/log[\s\S]*a = approve as it is.* $/, 'a\n'],
    [/A comment.* $/, '\n'],
  ]);
  expect(ended.code).toBe(0);
  expect(await conversation.waitForDecision({ timeoutMs: 60_000 })).toMatchObject({
    action: 'accept',
    content: { path: '/var/log', force: false },
  });
});

test('an option that is named like another one is chosen by its number, and shown with its value', async () => {
  const oneOf = [
    { const: 'yes', title: 'no' },
    { const: 'no', title: 'yes' },
  ];
  const swapped: Form = { type: 'object', properties: { keep: { type: 'string', oneOf } } };
  const { conversation, ended } = await type(swapped, [
    [/Fill it in\?.* $/, 'f\n'],
    [/keep .*: $/, 'yes\n'],
    [/This names several options[\s\S]*keep .*: $/, '2\n'],
    [/- keep: yes \("no"\)[\s\S]*Send it\?.* $/, 's\n'],
    [/A comment.* $/, '\n'],
  ]);
  expect(ended.code).toBe(0);
  expect(await conversation.waitForDecision({ timeoutMs: 60_000 })).toMatchObject({
    content: { keep: 'no' },
  });
});
