import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { RelayError } from '../relay-error.ts';
import { checkForm } from './check-form.ts';
import { defaultsOf } from './describe-content.ts';
import { parseFormAnswer } from './form-answer.ts';
import { checkContent, parseForm, toForm } from './index.ts';

/* The cases of packages/sdk/vectors/forms.json, which programs in other languages run too: docs/forms.md. */

interface FormCase {
  readonly name: string;
  readonly form?: unknown;
  readonly answer?: unknown;
  readonly text?: string;
  readonly padTo?: number;
}
type RefusedForm = FormCase & { readonly path: string };

const { forms, contents, answers } = JSON.parse(
  readFileSync(new URL('../../vectors/forms.json', import.meta.url), 'utf8'),
) as {
  readonly forms: {
    readonly valid: readonly FormCase[];
    readonly invalid: readonly RefusedForm[];
    readonly notSent: readonly RefusedForm[];
  };
  readonly contents: readonly {
    readonly name: string;
    readonly form: unknown;
    readonly valid: readonly unknown[];
    readonly invalid: readonly { readonly content: unknown; readonly names: readonly string[] }[];
  }[];
  readonly answers: { readonly valid: readonly FormCase[]; readonly invalid: readonly FormCase[] };
};

const textOf = ({ text, form, answer, padTo = 0 }: FormCase): string => {
  const json = text ?? JSON.stringify(form === undefined ? answer : form);
  return json + ' '.repeat(Math.max(0, padTo - new TextEncoder().encode(json).length));
};

function failureOf(
  run: () => unknown,
): (Pick<RelayError, 'code' | 'reason'> & { readonly path: string }) | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    if (!(error instanceof RelayError)) throw error;
    const [path = ''] = error.message.split(': ');
    return { code: error.code, reason: error.reason, path: path === 'form' ? '' : path };
  }
}

describe('forms', () => {
  test.each(forms.valid)('$name', (valid) => {
    const text = textOf(valid);
    const { $schema: _ignored, ...expected } = JSON.parse(text);
    expect(parseForm(text)).toEqual(expected);
    expect(checkForm(JSON.parse(text))).toEqual(expected);
    expect(checkContent(parseForm(text), { ...defaultsOf(parseForm(text)) })).toEqual(
      // Defaults are valid; fields without one may be required.
      (expected.required ?? [])
        .filter((name: string) => expected.properties[name].default === undefined)
        .map((name: string) => ({ name, message: 'This is required.' })),
    );
  });

  test.each(forms.invalid)('are refused: $name', ({ path, ...refused }) => {
    const text = textOf(refused);
    expect(failureOf(() => parseForm(text))).toEqual({ code: 'invalid_input', reason: 'invalid_form', path });
    if ('form' in refused && !refused.padTo) {
      expect(failureOf(() => checkForm(refused.form))).toEqual({
        code: 'invalid_input',
        reason: 'invalid_form',
        path,
      });
    }
  });

  test.each(forms.notSent)('are read, and not sent: $name', ({ path, ...refused }) => {
    const form = parseForm(textOf(refused));
    expect(failureOf(() => toForm(form))).toEqual({ code: 'invalid_input', reason: 'invalid_form', path });
  });
});

describe.each(contents)('the content of $name', ({ form, valid, invalid }) => {
  const checked = checkForm(form);

  test.each(valid.map((content) => [content]))('%j is valid', (content) => {
    expect(checkContent(checked, content)).toEqual([]);
  });

  test.each(invalid)('$content is not', ({ content, names }) => {
    const problems = checkContent(checked, content);
    expect(problems.map(({ name }) => name)).toEqual(names);
    for (const { message } of problems) expect(message).toMatch(/^[A-Z].*\.$/);
  });
});

describe('answers', () => {
  test.each(answers.valid)('$name', (valid) => {
    const text = textOf(valid);
    expect(parseFormAnswer(text)).toEqual(JSON.parse(text));
  });

  test.each(answers.invalid)('are refused: $name', (refused) => {
    expect(failureOf(() => parseFormAnswer(textOf(refused)))).toMatchObject({ code: 'answer_invalid' });
  });
});
