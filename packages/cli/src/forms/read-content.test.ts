import type { Form } from '@expert-relay/sdk/forms';
import { expect, test } from '@jest/globals';
import { contentOf, type GivenContent } from './read-content.ts';

const region = { type: 'string', enum: ['eu', 'us'] } as const;
const form = (properties: Form['properties'], ...required: string[]): Form => ({
  type: 'object',
  properties,
  required,
});
const approval = form({});
const three = form(
  { region, count: { type: 'integer', default: 3 }, note: { type: 'string' } },
  'region',
  'count',
);

test.each<[string, Form, GivenContent, RegExp]>([
  ['a field of an approval', approval, { set: ['region=eu'] }, /has no fields/],
  ['an option of an approval', approval, { chosen: ['eu'] }, /has no fields/],
  ['an unknown option', form({ region }), { chosen: ['mars'] }, /region: Choose one of the options\./],
  ['an unknown field', three, { set: ['zone=eu'] }, /no field "zone"\. It has: region, count, note/],
  ['a name that every object has', three, { set: ['__proto__=eu'] }, /no field "__proto__"/],
  ['a required field that is missing', three, { set: ['count=1'] }, /region: This is required\./],
  ['two problems', three, { set: ['region=x', 'count=1.5'] }, /region: .*\n.*count: /s],
  ['two values for one', form({ region }), { chosen: ['eu', 'us'] }, /Choose one of the options/],
  ['no name', three, { set: ['eu'] }, /must be NAME=VALUE/],
  ['an empty name', three, { set: ['=eu'] }, /must be NAME=VALUE/],
  ['no options', form({ note: { type: 'string' } }), { chosen: ['x'] }, /no options to choose from/],
  ['options of two fields', form({ region, zone: region }), { chosen: ['eu'] }, /2 fields with options/],
  ['no number', form({ count: { type: 'number' } }), { set: ['count=0x10'] }, /count: Give a number/],
  [
    'a rounded number',
    form({ n: { type: 'number' } }),
    { set: ['n=9007199254740993'] },
    /n: 9007199254740993 would be sent as 9007199254740992\./,
  ],
  ['a tiny number', form({ n: { type: 'number' } }), { set: ['n=1e-400'] }, /n: 1e-400 would be sent as 0\./],
  [
    'nearly an integer',
    form({ n: { type: 'integer' } }),
    { set: ['n=4.9999999999999999'] },
    /n: Give a whole/,
  ],
  ['a tiny integer', form({ n: { type: 'integer' } }), { set: ['n=1e-400'] }, /n: Give a whole number/],
  [
    'a large fraction',
    form({ n: { type: 'integer' } }),
    { set: ['n=9007199254740990.6'] },
    /n: Give a whole/,
  ],
  ['neither yes nor no', form({ sure: { type: 'boolean' } }), { set: ['sure=1'] }, /sure: Choose yes or no/],
])('%s is refused in a sentence', (_name, asked, given, sentence) => {
  expect(() => contentOf(asked, 'HS-7KQ2M9XD', given)).toThrow(sentence);
});

test.each([
  ['ny', 'ny'],
  ['New York', 'ny'],
  ['old', undefined],
  ['new', undefined],
  ['OLD', undefined],
  ['Old ', 'o3'],
])('the option %j, by its value or title: %j; what names several is refused', (text, value) => {
  const options = [
    { const: 'ny', title: 'New York' },
    { const: 'new', title: 'old' },
    { const: 'old', title: 'new' },
    { const: 'o3', title: 'Old' },
  ];
  const choose = () =>
    contentOf(form({ which: { type: 'string', oneOf: options } }), 'HS-7KQ2M9XD', { chosen: [text] });
  if (value) expect(choose()).toEqual({ which: value });
  else expect(choose).toThrow(`which: "${text}" names several options`);
});
