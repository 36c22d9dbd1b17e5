import { readFileSync } from 'node:fs';
import { type Content, checkContent, toForm } from '@expert-relay/sdk/forms';
import { defaultsOf, tellingArgument } from '@expert-relay/sdk/internal';
import { describe, expect, test } from '@jest/globals';
import { formOf } from './arguments-form.ts';
import { askExpertDefinition } from './ask-expert.ts';
import { readDecision } from './decide-tool-calls.ts';
import { questionName } from './run-options.ts';
import { questionAbout, type ToolCall } from './tool-call.ts';

/* A tool call as a question, and the answers to it: the cases of docs/adapters.json, which the tests of Python read as well. */

interface QuestionRow extends ToolCall {
  readonly name: string;
  readonly agent?: string;
  readonly question: readonly string[];
  readonly form: object;
}

interface AnswerRow {
  readonly name: string;
  readonly call: string;
  readonly content: Content;
  readonly arguments: unknown;
}

const cases: {
  readonly questions: readonly QuestionRow[];
  readonly answers: readonly AnswerRow[];
  readonly tellingArguments: readonly {
    readonly name: string;
    readonly arguments: unknown;
    readonly shown: string;
  }[];
  readonly askExpert: object;
  readonly names: readonly { readonly run: string; readonly id: string; readonly name: string }[];
} = JSON.parse(readFileSync(new URL('../../../docs/adapters.json', import.meta.url), 'utf8'));

const callOf = ({ tool, arguments: given, schema, canEdit }: QuestionRow): ToolCall => ({
  id: '1',
  tool,
  arguments: given,
  schema,
  canEdit,
});

const ask = (call: ToolCall, agent = 'the agent') => {
  const form = formOf(call);
  return { ...form, question: questionAbout(call, { agent, isEditable: form.isEditable }) };
};

test('a model reads the same about the tool with which it asks in both languages', () => {
  expect(askExpertDefinition).toEqual(cases.askExpert);
});

describe('a call', () => {
  test.each(cases.questions)('is asked about with $name', (row) => {
    const call = callOf(row);
    const { question, form } = ask(call, row.agent);
    expect(question.split('\n')).toEqual(row.question);
    expect(form).toEqual(row.form);
    const prefilled = defaultsOf(toForm(form));
    expect(checkContent(form, prefilled)).toEqual([]);
    expect(readDecision(call, prefilled)).toMatchObject({ action: 'approve' });
  });

  test.each(cases.tellingArguments)(
    'shows of its arguments in the first line $name',
    ({ arguments: given, shown }) => {
      expect(tellingArgument(given)).toBe(shown);
    },
  );

  test.each(cases.answers)('is answered with $name', ({ call: name, content, arguments: expected }) => {
    const call = callOf(cases.questions.find((row) => row.name === name) as QuestionRow);
    expect(checkContent(ask(call).form, content)).toEqual([]);
    const read = readDecision(call, content);
    if (expected === 'unchanged') expect(read).toEqual({ action: 'approve' });
    else if (expected === 'invalid') expect(read).toBeUndefined();
    else expect(read).toEqual({ action: 'edit', arguments: expected });
  });

  // In Python, integers have any size.
  test.each([
    ['9007199254740993', '9007199254740992'],
    ['1234567890123456789', '1234567890123456800'],
    ['100000000000000000000001', '1e+23'],
  ])('is not answered with the integer %s, which would be %s', (written, read) => {
    const call = { id: '1', tool: 'pay', arguments: { account: Number(written) } };
    const { arguments: prefilled = '' } = defaultsOf(ask(call).form);
    expect(prefilled).toContain(read);
    expect(readDecision(call, { arguments: String(prefilled) })).toEqual({ action: 'approve' });
    expect(readDecision(call, { arguments: `{"account": ${written}}` })).toBeUndefined();
    const text = `{"account": "${written}"}`;
    expect(readDecision(call, { arguments: text })).toEqual({
      action: 'edit',
      arguments: { account: written },
    });
  });

  test.each(cases.names)('$id of the run $run has a name', ({ run, id, name }) => {
    expect(questionName(run, id)).toBe(name);
  });

  test('is not asked about when it cannot be shown in full', () => {
    expect(() => ask({ id: '1', tool: 'write', arguments: { text: 'x'.repeat(60_000) } })).toThrow(
      expect.objectContaining({
        code: 'invalid_input',
        message: expect.stringContaining('Nothing was asked.'),
      }),
    );
  });

  test.each([
    ['too long', { text: 'x'.repeat(8_192) }],
    ['not a number', { value: Number.NaN }],
    ['a date', { at: new Date(0) }],
    ['a list', [1]],
    ['a text', 'rm -rf /'],
    ['nothing', undefined],
  ])('can be approved alone where no form keeps it: %s', (_what, given) => {
    const { form, question } = ask({ id: '1', tool: 'write', arguments: given });
    expect(form.properties).toEqual({});
    expect(question).toContain('\n\nThe agent gets your comment only if you decline.');
  });

  test.each([
    ...'\u00a0\u00ad\u034f\u061c\u115f\u200b\u200d\u202e\u2028\u2066\u2800\u3000\u3164\ufe0f\ufeff\uffa0\u0085\u007f',
    '\u{e0041}',
    '\ud800',
  ])('shows no %j', (hidden) => {
    const schema = { type: 'object', properties: { path: { type: 'string' } } };
    const given = { path: `/a${hidden}b`, [`k${hidden}`]: 1 };
    const { form, question } = ask({ id: '1', tool: `x${hidden}`, arguments: given, schema }, `bot${hidden}`);
    expect(question).not.toContain(hidden);
    const { arguments: prefilled = '' } = defaultsOf(form);
    expect(prefilled).not.toContain(hidden);
    expect(JSON.parse(String(prefilled))).toEqual(given);
  });

  test('shows letters of all scripts, and the description of the program as a quotation', () => {
    const { question } = ask({
      id: '1',
      tool: 'say',
      arguments: { text: 'Zoë – جملة 日本語 🙂' },
      description: 'It is late.\n# Approved',
    });
    expect(question).toContain('"text": "Zoë – جملة 日本語 🙂"');
    expect(question).toContain('\n\n> It is late.\n> # Approved\n\n');
  });
});
