import { formatProblem, Problem, type ProblemCode, problems } from '@expert-relay/kit/problem';
import { expect, test } from '@jest/globals';
import { document } from '../black-box/document.ts';

/** Errors whose example shows a sentence of one call. */
const ownSentences: ReadonlySet<string> = new Set(['foreign_host', 'invalid_json']);

/** No operation that the document names has this error. */
const codes = (Object.keys(problems) as ProblemCode[]).filter((code) => code !== 'method_not_allowed');
/** The members that an error always has, and its sentence unless the example shows another one. */
const shown = ({ type, title, status, error, detail }: Record<string, unknown>) =>
  ownSentences.has(String(error)) ? { type, title, status, error } : { type, title, status, error, detail };

test('docs/openapi.yaml has each error of the catalogue as an example, word by word', () => {
  const examples = new Map(
    Object.values(document.components.examples)
      .map((example) => ('value' in example ? (example.value as Record<string, unknown>) : {}))
      .map((value) => [value.error, shown(value)]),
  );
  expect(codes.map((code) => examples.get(code))).toEqual(
    codes.map((code) => shown(JSON.parse(formatProblem(new Problem(code)).body))),
  );
});
