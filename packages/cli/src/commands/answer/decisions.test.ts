import { setTimeout as pause } from 'node:timers/promises';
import type { Conversation } from '@expert-relay/sdk';
import type { Form } from '@expert-relay/sdk/forms';
import { describe, expect, test } from '@jest/globals';
import { later, readAgainMs, useAgent, useTestCli } from '../../testing/test-cli.ts';

const cli = useTestCli();
const agent = useAgent(cli);

const askWith = (form: Form, question = 'May I?', encrypted = true): Promise<Conversation> =>
  agent().ask({ question, encrypted, form });
const decisionOf = async (conversation: Conversation) => {
  const { answer, text, files } = await conversation.waitForAnswer({ timeoutMs: 60_000 });
  return {
    action: answer?.action,
    ...(answer?.action === 'accept' && { content: answer.content }),
    text,
    files,
  };
};
const approval: Form = { type: 'object', properties: {} };
const region = { type: 'string', enum: ['eu', 'us'] } as const;
const one = (field: Form['properties'][string], isRequired = true): Form => ({
  type: 'object',
  properties: { field },
  ...(isRequired && { required: ['field'] }),
});
const three: Form = {
  type: 'object',
  properties: { region, count: { type: 'integer', default: 3 }, note: { type: 'string', default: 'none' } },
  required: ['region', 'count'],
};

describe('what an expert types is what the agent gets', () => {
  const titled = {
    type: 'string',
    oneOf: [
      { const: 'a', title: 'First' },
      { const: 'b', title: 'Second' },
    ],
  } as const;
  const several = { type: 'array', items: { type: 'string', enum: ['a', 'b', 'c'] } } as const;
  test.each<[string, Form, string[], object | undefined]>([
    ['a choice', one(region), ['--choose', 'eu'], { field: 'eu' }],
    ['a choice by --set', one(region), ['--set', 'field=us'], { field: 'us' }],
    ['a choice by its title', one(titled), ['--choose', 'Second'], { field: 'b' }],
    ['several options', one(several), ['--choose', 'a', '--choose', 'c'], { field: ['a', 'c'] }],
    ['a text', one({ type: 'string' }), ['--set', 'field=a=b c'], { field: 'a=b c' }],
    ['a number', one({ type: 'number' }), ['--set', 'field=-1.5e3'], { field: -1500 }],
    ['an integer', one({ type: 'integer' }), ['--set', 'field=7'], { field: 7 }],
    ['yes', one({ type: 'boolean' }), ['--set', 'field=yes'], { field: true }],
    ['no', one({ type: 'boolean' }), ['--set', 'field=false'], { field: false }],
    [
      'a date',
      one({ type: 'string', format: 'date' }),
      ['--set', 'field=2026-11-23'],
      { field: '2026-11-23' },
    ],
    [
      'a field beside those filled in',
      three,
      ['--set', 'region=eu'],
      { region: 'eu', count: 3, note: 'none' },
    ],
    [
      'a field that is emptied',
      three,
      ['--set', 'region=eu', '--set', 'count=5', '--set', 'note='],
      { region: 'eu', count: 5 },
    ],
  ])('%s', async (_name, form, args, content) => {
    await expectDecided(form, args, content);
  });

  const text = { type: 'string' } as const;
  const filledIn = { type: 'string', default: 'x' } as const;
  const form = (properties: Form['properties'], ...required: string[]): Form => ({
    type: 'object',
    properties,
    required,
  });
  const noForm = 'The agent of HS has sent no form: relay answer HS "..."';
  // What is sent with --approve, and with --set a=z; or a part of the sentence with which nothing is sent.
  const kinds: [string, Form | undefined, object | string, object | string][] = [
    ['an approval', approval, {}, 'which has no fields: --approve or --decline.'],
    [
      'a form that is filled in',
      form({ a: filledIn, b: filledIn }, 'a'),
      { a: 'x', b: 'x' },
      { a: 'z', b: 'x' },
    ],
    [
      'one that is filled in, but for an optional field',
      form({ a: text, b: filledIn }),
      { b: 'x' },
      { a: 'z', b: 'x' },
    ],
    [
      'one with optional fields, all empty',
      form({ a: text, b: text }),
      'relay answer HS --set a=... --set b=...',
      { a: 'z' },
    ],
    [
      'one with a required field that is empty',
      form({ a: text, b: filledIn, c: text }, 'a', 'b'),
      'relay answer HS --set a=...',
      { a: 'z', b: 'x' },
    ],
    ['no form', undefined, noForm, noForm],
  ];
  const rows = kinds.flatMap(([kind, asked, approved, changed]) => [
    { kind, asked, args: ['--approve'], expected: approved },
    { kind, asked, args: ['--decline'], expected: asked ? undefined : noForm },
    { kind, asked, args: ['--set', 'a=z'], expected: changed },
    { kind, asked, args: ['--approve', '--set', 'a=z'], expected: changed },
  ]);
  test.each(rows)('$args of $kind', async ({ asked, args, expected }) => {
    if (asked && typeof expected !== 'string') return await expectDecided(asked, args, expected);
    const { refCode } = asked ? await askWith(asked) : await agent().ask({ question: 'May I?' });
    const { code, stderr } = await cli.answer(refCode, ...args);
    const sentence = stderr.replaceAll(/\s+/g, ' ').replaceAll(refCode, 'HS');
    expect({ code, sentence }).toEqual({ code: 2, sentence: expect.stringContaining(String(expected)) });
  });

  test.each<[string, string[], object | undefined]>([
    ['a form', ['--set', 'region=eu'], { region: 'eu', count: 3, note: 'none' }],
    ['a form, declined', ['--decline'], undefined],
  ])('in plain text: %s', (_name, args, content) => expectDecided(three, args, content, false));

  async function expectDecided(form: Form, args: string[], content?: object, encrypted = true) {
    const conversation = await askWith(form, 'May I?', encrypted);
    const plain = encrypted ? [] : ['--plaintext'];
    const answered = await cli.answer(conversation.refCode, ...args, ...plain);
    // A call that takes three seconds, as on a busy machine, is reported.
    const stderr = answered.stderr.replace(/^The relay does not answer yet\..*\n/, '');
    expect({ code: answered.code, stderr }).toEqual({ code: 0, stderr: '' });
    const { answer } = await conversation.waitForAnswer({ timeoutMs: 60_000 });
    const decided = content ? { action: 'accept', content } : { action: 'decline' };
    expect(answer).toEqual(expect.objectContaining(decided));
  }

  test('with a comment, and as JSON', async () => {
    const conversation = await askWith(one(region));
    const { stdout } = await cli.answer(conversation.refCode, 'But slowly.', '--choose', 'eu', '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      outcome: 'done',
      exit: 0,
      protection: 'sequenced',
      decision: { action: 'accept', content: { field: 'eu' } },
    });
    expect(await decisionOf(conversation)).toMatchObject({ content: { field: 'eu' }, text: 'But slowly.' });
  });
});

describe('nothing is sent', () => {
  test.each<[string, Form, string[], RegExp]>([
    ['contradicting options', approval, ['--approve', '--decline'], /contradict/],
    ['a value that is not valid', one(region), ['--choose', 'mars'], /field: Choose one of the options\./],
    ['nothing, in a pipe', approval, [], /What is the answer\?/],
  ])('%s', async (_name, form, args, sentence) => {
    const { refCode } = await askWith(form);
    const { code, stderr, stdout } = await cli.answer(refCode, ...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(sentence);
    expect(JSON.parse((await cli.asExpert('show', refCode, '--json')).stdout)).toMatchObject({
      messages: [],
    });
  });
});

test('a text is no decision, and says so', async () => {
  const conversation = await askWith(approval);
  const { code, stderr } = await cli.answer(conversation.refCode, 'Which one?');
  expect({ code, stderr: stderr.replaceAll(/\s+/g, ' ') }).toEqual({
    code: 0,
    stderr: expect.stringMatching(/^A text is no decision/),
  });
  expect(await decisionOf(conversation)).toEqual({ action: undefined, text: 'Which one?', files: undefined });
});

describe('the decision belongs to the form that was shown', () => {
  test('another form of the agent is not decided with it', async () => {
    const conversation = await askWith(approval, 'Delete the lock?');
    const { refCode } = conversation;
    expect((await cli.answer(refCode, 'Which one?')).code).toBe(0);
    await conversation.waitForAnswer({ timeoutMs: 60_000 });
    expect((await cli.asExpert('show', refCode)).stdout).toContain('relay answer');
    await conversation.send('Delete everything?', { form: approval });
    const late = await cli.run(['answer', refCode, '--approve'], { env: cli.expert, ...later });
    expect(late).toMatchObject({ code: 12, stderr: expect.stringMatching(/newer\s+message/) });
    const { stdout } = await cli.asExpert('show', refCode, '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      decision: 'open',
      messages: [{}, { text: 'Delete everything?' }],
    });
    expect((await cli.answer(refCode, '--approve')).code).toBe(0);
    expect(await decisionOf(conversation)).toMatchObject({ action: 'accept' });
  });

  test('a form that was not shown is not decided with --even-if-newer either', async () => {
    const conversation = await askWith(approval, 'Delete the test copy?');
    const { refCode } = conversation;
    expect((await cli.answer(refCode, 'Which one?')).code).toBe(0);
    await conversation.waitForAnswer({ timeoutMs: 60_000 });
    await cli.asExpert('show', refCode);
    await conversation.send('Delete PRODUCTION?', { form: approval });
    const args = ['answer', refCode, '--approve', '--even-if-newer'];
    expect(await cli.run(args, { env: cli.expert, ...later })).toMatchObject({
      code: 12,
      stderr: expect.stringMatching(/newer\s+message[\s\S]*relay\s+show/),
    });
    const { stdout } = await cli.asExpert('show', refCode, '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      messages: [{ text: 'Which one?' }, { text: 'Delete PRODUCTION?' }],
    });
  });

  test('sent with --even-if-newer although there is a newer message, it does not count, and the exit code says so', async () => {
    const conversation = await askWith(approval);
    const { refCode } = conversation;
    expect((await cli.answer(refCode, 'Which one?')).code).toBe(0);
    await conversation.waitForAnswer({ timeoutMs: 60_000 });
    await conversation.send('WAIT');
    const args = ['answer', refCode, '--approve', '--even-if-newer'];
    const sent = await cli.run(args, { env: cli.expert, ...later });
    expect(sent).toMatchObject({ code: 12, stderr: expect.stringMatching(/does\s+not\s+count/) });
  });

  test('what was filled in for a form before is printed, and is not offered for the one that is open now', async () => {
    const conversation = await askWith(one(region), 'Where?');
    const { refCode } = conversation;
    expect((await cli.answer(refCode, 'A moment.')).code).toBe(0);
    await conversation.waitForAnswer({ timeoutMs: 60_000 });
    await cli.asExpert('show', refCode);
    const env = { ...cli.expert, NO_COLOR: '1' };
    const run = cli.start(['answer', refCode], { env, ...later, columns: 80 });
    await run.printed(/Fill it in\?/);
    run.type('f\n');
    await run.printed(/2\. us[\s\S]*field: /);
    run.type('us\n');
    await run.printed(/Send it\?/);
    await conversation.send('And where is the backup?', { form: one({ type: 'string' }) });
    run.type('s\n');
    await run.printed(/A comment/);
    await pause(readAgainMs);
    run.type('But slowly.\n');
    const { code, stdout } = await run.ended;
    expect(code).toBe(12);
    expect(stdout).toMatch(
      /And where is the backup\?[\s\S]*one\s+before:\s+- field: us\s+But slowly\.\s+Not sent\..* relay answer HS/,
    );
    expect(stdout).not.toContain('unchanged?');
  });

  test('accepting again with another value is a conflict', async () => {
    const { refCode } = await askWith(one(region));
    expect((await cli.answer(refCode, '--choose', 'eu')).code).toBe(0);
    expect(await cli.answer(refCode, '--choose', 'us')).toMatchObject({
      code: 14,
      stderr: expect.stringMatching(/other\s+values/),
    });
    expect((await cli.answer(refCode, '--decline')).code).toBe(0);
  });
});
