import type { Form } from '@expert-relay/sdk/forms';
import { parseFormAnswer } from '@expert-relay/sdk/internal';
import { describe, expect, test } from '@jest/globals';
import { describeDecision } from './describe-decision.ts';
import { incomplete, readLocal, toLocal } from './local-time.ts';
import { contentOf, problemsOf, sentInstead, valuesOf } from './values.ts';

const form: Form = {
  type: 'object',
  properties: {
    text: { type: 'string', title: 'Text' },
    day: { type: 'string', format: 'date' },
    share: { type: 'number' },
    pods: { type: 'integer' },
    now: { type: 'boolean' },
    plan: { type: 'string', oneOf: [{ const: 's', title: 'Small' }] },
    checks: { type: 'array', items: { type: 'string', enum: ['lint', 'test'] } },
  },
  required: ['now'],
};
const empty = valuesOf(form, {});

test('controls that are empty are absent, and a content comes back from its controls', () => {
  expect(empty).toEqual({ text: '', day: '', share: '', pods: '', now: '', plan: '', checks: [] });
  expect(contentOf(form, empty)).toEqual({});
  const content = {
    text: ' ',
    day: '2026-11-24',
    share: -0.5,
    pods: 3,
    now: false,
    plan: 's',
    checks: ['test'],
  };
  expect(contentOf(form, valuesOf(form, content))).toEqual(content);
  expect(contentOf(form, valuesOf(form, Object.create({ text: 'inherited' })))).toEqual({});
});

test.each([
  ['share', '1e3', 1_000],
  ['share', ' .5 ', 0.5],
  ['share', '+7.', 7],
  ['share', '-0', -0],
  ...['1,5', '0x10', 'Infinity', 'e3', '1 2', '--1', ' '].map(
    (typed) => ['share', typed, undefined] as const,
  ),
  ['pods', '3.0', 3],
  ['pods', '9007199254740993', undefined],
  ['pods', '9007199254740990.6', undefined],
  ['pods', '4.9999999999999999', undefined],
  ['pods', '1e-400', undefined],
  ['pods', '50e-1', 5],
  ['share', '1e400', undefined],
  ['day', incomplete, undefined],
])('%s: %j is read as %j', (name, typed, value) => {
  const values = { ...empty, now: 'true', [name]: typed };
  const isValid = !problemsOf(form, values).has(name);
  expect(isValid ? contentOf(form, values)[name] : undefined).toBe(value);
});

test.each([
  ['9007199254740993', '9007199254740992'],
  ['1.000000000000000000001', '1'],
  ['1e-400', '0'],
  ['0.10', undefined],
  ['1e400', undefined],
  ['none', undefined],
])('a number typed as %s is sent as %s', (typed, sent) => {
  expect(sentInstead({ type: 'number' }, typed)).toBe(sent);
  expect(sentInstead({ type: 'string' }, typed)).toBeUndefined();
});

describe('a time of the browser’s zone', () => {
  test.each(['2026-11-24T08:30:00', '2026-07-01T23:59:59', '2027-01-01T00:00:00'])(
    '%s keeps its value',
    (local) => {
      const value = readLocal(local);
      expect(value).toMatch(/T\d\d:\d\d:\d\dZ$/);
      expect(Date.parse(value)).toBe(new Date(local).getTime());
      expect(toLocal(value)).toBe(local);
    },
  );

  test('gets seconds, and nothing stays nothing', () => {
    expect(readLocal('2026-11-24T08:30')).toMatch(/:00Z$/);
    expect([readLocal(''), toLocal(''), toLocal(incomplete)]).toEqual(['', '', '']);
    expect(readLocal('nonsense')).toBe(incomplete);
  });
});

describe('a decision in words', () => {
  const answer = parseFormAnswer(
    JSON.stringify({
      action: 'accept',
      decidedAt: '2026-11-24T08:30:00Z',
      content: { text: 'A', now: true, plan: 's', checks: [] },
    }),
  );

  test.each([
    ['with its form', form, ['Text: A', 'now: yes', 'plan: Small', 'checks: none']],
    ['without its form', undefined, ['text: A', 'now: true', 'plan: s', 'checks: ']],
  ])('%s', (_, known, expected) => {
    const { title, fields } = describeDecision(answer, known);
    expect([title, ...fields.map(({ label, values }) => `${label}: ${values.join('|')}`)]).toEqual([
      'Approved',
      ...expected,
    ]);
  });

  test('of several options, each stands for itself', () => {
    const asked: Form = {
      type: 'object',
      properties: {
        teams: {
          type: 'array',
          title: 'Teams',
          items: { anyOf: ['sre', 'sales'].map((value) => ({ const: value, title: `${value}, EMEA` })) },
        },
      },
    };
    const content = { teams: ['sre', 'sales'] };
    const decided = { action: 'accept', content, decidedAt: '2026-11-24T08:30:00Z' } as const;
    const teams = { label: 'Teams', values: ['sre, EMEA', 'sales, EMEA'] };
    expect(describeDecision(decided, asked)).toEqual({ title: 'Answered', fields: [teams] });
  });

  test('that was declined, or cannot be read', () => {
    const declined = { action: 'decline', decidedAt: '2026-11-24T08:30:00Z' } as const;
    expect(describeDecision(declined, form)).toEqual({ title: 'Declined', fields: [] });
    expect(describeDecision(undefined, form).title).toContain('cannot read');
  });
});
