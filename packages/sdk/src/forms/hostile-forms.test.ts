import { describe, expect, test } from '@jest/globals';
import { Ajv } from 'ajv';
import fc from 'fast-check';
import { RelayError } from '../relay-error.ts';
import { checkForm } from './check-form.ts';
import { defaultsOf } from './describe-content.ts';
import { parseFormAnswer } from './form-answer.ts';
import {
  type Content,
  checkContent,
  describeContent,
  type Field,
  type Form,
  isApproval,
  optionsOf,
  parseForm,
  toForm,
} from './index.ts';

/* The cases of one fault each are in packages/sdk/vectors/forms.json. Here: what JSON cannot hold, cost, and chance. */

const refusedAt = (path: string) =>
  expect.objectContaining({ reason: 'invalid_form', message: expect.stringMatching(`^${path}: `) });

/** CPU time in milliseconds, which does not grow while the process waits for a core. */
function cpuTimeOf(run: () => unknown): number {
  const before = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

describe('a form that a program gives', () => {
  test('may have 10,000 options or fields, and is refused before they are read', () => {
    const read: string[] = [];
    const option = {
      get const() {
        read.push('const');
        return 'a';
      },
    };
    const options = Array.from({ length: 10_000 }, () => option);
    const many = Object.fromEntries(options.map((_, i) => [`f${i}`, { type: 'boolean' }]));
    const form = (field: object) => ({ type: 'object', properties: { a: field } });
    expect(() => checkForm(form({ type: 'string', oneOf: options }))).toThrow(
      refusedAt('properties.a.oneOf'),
    );
    expect(() => checkForm(form({ type: 'string', enum: options }))).toThrow(refusedAt('properties.a.enum'));
    expect(() => checkForm({ type: 'object', properties: many })).toThrow(refusedAt('properties'));
    const required = options.map((_, i) => `f${i}`);
    expect(() => checkForm({ ...form({ type: 'boolean' }), required })).toThrow(refusedAt('required.0'));
    expect(read).toEqual([]);
  });

  test('may contain itself', () => {
    const loop: Record<string, unknown> = { type: 'array' };
    loop.items = loop;
    loop.default = loop;
    expect(() => checkForm({ type: 'object', properties: { a: loop } })).toThrow(
      refusedAt('properties.a.items.type'),
    );
    loop.items = { type: 'string', enum: ['a'] };
    expect(() => checkForm({ type: 'object', properties: { a: loop } })).toThrow(
      refusedAt('properties.a.default'),
    );
  });

  test('counts with its own members alone', () => {
    expect(() => checkForm(Object.create({ type: 'object', properties: {} }))).toThrow(refusedAt('type'));
    const inherited = Object.create({ enum: ['a'], type: 'string' });
    expect(() => checkForm({ type: 'object', properties: { a: inherited } })).toThrow(
      refusedAt('properties.a.type'),
    );
    const form = checkForm({ type: 'object', properties: { a: { type: 'boolean' } }, required: ['a'] });
    expect(checkContent(form, Object.create({ a: true }))).toEqual([
      { name: 'a', message: 'This is required.' },
    ]);
  });

  test('is copied, without members that are undefined', () => {
    const given = {
      type: 'object',
      properties: { a: { type: 'string', title: undefined, enum: ['x'] } },
      required: undefined,
    };
    const form = checkForm(given);
    given.properties.a.enum.push('y');
    expect(form).toStrictEqual({ type: 'object', properties: { a: { type: 'string', enum: ['x'] } } });
  });

  test('has at most 8192 bytes as the JSON that is sent', () => {
    const withText = (description: string) => ({
      type: 'object' as const,
      properties: Object.fromEntries(
        Array.from({ length: 9 }, (_, i) => [`f${i}`, { type: 'string' as const, description }] as const),
      ),
    });
    // 866 code points, of 2 bytes in UTF-8 for some of them: exactly the limit, and one more.
    const room = 8_192 - JSON.stringify(withText('')).length;
    const fits = withText('d'.repeat(Math.floor(room / 9)));
    const rest = room % 9;
    fits.properties.f0 = {
      type: 'string',
      description: 'é'.repeat(rest) + 'd'.repeat(Math.floor(room / 9) - rest),
    };
    expect(new TextEncoder().encode(JSON.stringify(fits))).toHaveLength(8_192);
    expect(toForm(fits)).toEqual(fits);
    fits.properties.f1 = { type: 'string', description: `é${'d'.repeat(Math.floor(room / 9) - 1)}` };
    expect(() => toForm(fits)).toThrow(refusedAt('form'));
  });

  test.each([[null], [undefined], [1], ['{}'], [[]], [() => ({})]])('%p is refused', (value) => {
    expect(() => toForm(value as unknown as Form)).toThrow(refusedAt('form'));
  });

  test('may be prefilled with several lines, and with an override, since these are no labels', () => {
    const note = { type: 'string', default: 'one\n\u202etwo' } as const;
    const form: Form = { type: 'object', properties: { note, default: note } };
    expect(toForm(form)).toEqual(form);
  });

  test.each([Number.NaN, Infinity, -Infinity])('is not filled in with %p', (value) => {
    const form: Form = { type: 'object', properties: { a: { type: 'number' } } };
    expect(checkContent(form, { a: value })).toEqual([{ name: 'a', message: 'Give a number.' }]);
  });

  test('has its names in messages without characters that do something', () => {
    const form = { type: 'object', properties: { 'a\u202e\n\u001b[31m': { type: 'boolean' } } };
    expect(() => checkForm(form)).toThrow(/^properties\.a\?\?\?\?31m: [ -~]+$/);
  });
});

describe('cost', () => {
  // A check with quadratic work would need minutes for these.
  const limit = 2_000;

  test.each([
    ['deep nesting', '['.repeat(8_000)],
    ['a long text', 'x'.repeat(8_000_000)],
    ['deep nesting that is too long', '{"a":'.repeat(2_000_000)],
  ])('of %s as a form or an answer is small', (_name, text) => {
    const cpuTime = cpuTimeOf(() => {
      expect(() => parseForm(text)).toThrow(refusedAt('form'));
      expect(() => parseFormAnswer(text)).toThrow(expect.objectContaining({ code: 'answer_invalid' }));
    });
    expect(cpuTime).toBeLessThan(limit);
  });

  test.each(['email', 'uri', 'date', 'date-time'] as const)('of a text as %s is small', (format) => {
    const texts = [
      'a',
      'a.',
      '@',
      'a@a.',
      'a:',
      'a:#',
      'a:%',
      '%41',
      '1',
      '-',
      '2026-11-23T16:01:00.1',
      '\n',
      '😀',
    ];
    const form: Form = { type: 'object', properties: { a: { type: 'string', format, maxLength: 9 } } };
    const cpuTime = cpuTimeOf(() => {
      for (const text of texts) {
        for (const end of ['', '!', '@', ' ', 'Z']) checkContent(form, { a: text.repeat(30_000) + end });
        checkContent(form, { a: `a:${text.repeat(30_000)}` });
      }
    });
    expect(cpuTime).toBeLessThan(limit);
  });

  test('of a content with many members or choices is small', () => {
    const form = checkForm({
      type: 'object',
      properties: {
        a: { type: 'array', items: { type: 'string', enum: Array.from({ length: 50 }, (_, i) => `o${i}`) } },
      },
    });
    const extra = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`f${i}`, i]));
    const cpuTime = cpuTimeOf(() => {
      expect(checkContent(form, extra)).toHaveLength(1);
      expect(checkContent(form, { a: Array.from({ length: 60_000 }, (_, i) => `o${i}`) })).toHaveLength(1);
      expect(checkContent(form, { a: new Array(60_000) })).toHaveLength(1);
    });
    expect(cpuTime).toBeLessThan(limit);
  });
});

const label = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 8 })
  .filter((text) => text.trim() !== '');
const sizes = fc
  .tuple(fc.nat(3), fc.nat(3))
  .map(([one, other]) => [Math.min(one, other), Math.max(one, other)] as const);
const optionList = fc.uniqueArray(label, {
  minLength: 1,
  maxLength: 5,
  selector: (text) => text.normalize('NFC').trim(),
});
const titled = (values: readonly string[]) =>
  values.map((value, i) => ({ const: value, title: `Title ${i}` }));

const anyField: fc.Arbitrary<Field> = fc.oneof(
  sizes.map(([minLength, maxLength]) => ({ type: 'string' as const, minLength, maxLength })),
  sizes.map(([minimum, maximum]) => ({ type: 'number' as const, minimum, maximum })),
  sizes.map(([minimum, maximum]) => ({ type: 'integer' as const, minimum, maximum })),
  fc.constant({ type: 'boolean' as const }),
  optionList.map((values) => ({ type: 'string' as const, enum: values })),
  optionList.map((values) => ({ type: 'string' as const, oneOf: titled(values) })),
  fc.tuple(optionList, sizes).map(([values, [minItems, maxItems]]) => ({
    type: 'array' as const,
    minItems,
    maxItems,
    items: { type: 'string' as const, enum: values },
  })),
  optionList.map((values) => ({ type: 'array' as const, items: { anyOf: titled(values) } })),
);
const anyForm: fc.Arbitrary<Form> = fc
  .dictionary(fc.constantFrom('a', 'b', 'c', 'toString'), anyField, { noNullPrototype: true })
  .chain((properties) =>
    fc
      .subarray(Object.keys(properties))
      .map((required) => ({ type: 'object' as const, properties, required })),
  );

const anyValue = fc.oneof(fc.jsonValue(), fc.double(), fc.array(fc.string(), { maxLength: 3 }));

/** Values that are often, but not always, valid for the field. */
function valueFor(field: Field): fc.Arbitrary<unknown> {
  const option = fc.constantFrom('', ...optionsOf(field).map(({ value }) => value));
  const text = fc.string({ unit: 'grapheme', maxLength: 3 });
  const likely = {
    string: optionsOf(field).length > 0 ? option : text,
    array: fc.array(option, { maxLength: 3 }),
    number: fc.oneof(fc.integer({ min: 0, max: 3 }), fc.double({ min: 0, max: 3 })),
    integer: fc.oneof(fc.integer({ min: 0, max: 3 }), fc.double({ min: 0, max: 3 })),
    boolean: fc.boolean(),
  };
  return fc.oneof({ weight: 9, arbitrary: likely[field.type] }, { weight: 1, arbitrary: anyValue });
}

function contentOf(form: Form): fc.Arbitrary<Record<string, unknown>> {
  const fields = Object.entries(form.properties).map(([name, field]) => [name, valueFor(field)] as const);
  const extra = fc.dictionary(fc.constantFrom('d', 'valueOf'), anyValue, {
    maxKeys: 1,
    noNullPrototype: true,
  });
  const content = fc.record(Object.fromEntries(fields), { requiredKeys: [], noNullPrototype: true });
  return fc.oneof(
    { weight: 4, arbitrary: content },
    { weight: 1, arbitrary: fc.tuple(content, extra).map(([one, other]) => ({ ...one, ...other })) },
  );
}

describe('by chance', () => {
  test('any JSON is a form, or refused with a path', () => {
    const json = fc.oneof(
      fc.jsonValue(),
      fc.record({ type: fc.constant('object'), properties: fc.jsonValue() }),
    );
    fc.assert(
      fc.property(json, (value) => {
        try {
          expect(checkForm(value)).toEqual(parseForm(JSON.stringify(value)));
        } catch (error) {
          expect(error).toBeInstanceOf(RelayError);
          expect((error as Error).message).toMatch(/^[\w.?$-]+: [A-Z].*\.$/);
        }
        checkContent({ type: 'object', properties: {} }, value);
      }),
      { numRuns: 500 },
    );
  });

  test('a content is valid exactly if it is for another validator of JSON Schema', () => {
    const seen = { valid: 0, invalid: 0 };
    const cases = anyForm.chain((form) => fc.tuple(fc.constant(form), contentOf(form)));
    fc.assert(
      fc.property(cases, ([form, given]) => {
        // What JSON makes of it: numbers that are not finite become null.
        const content: unknown = JSON.parse(JSON.stringify(given));
        const properties = Object.fromEntries(
          Object.entries(checkForm(form).properties).map(([name, field]) => [
            name,
            field.type === 'array' ? { ...field, uniqueItems: true } : field,
          ]),
        );
        const schema = { ...form, properties, additionalProperties: false };
        const isValid = new Ajv({
          strict: false,
          ownProperties: true,
          meta: false,
          validateSchema: false,
        }).validate(schema, content);
        expect(checkContent(form, content).length === 0).toBe(isValid);
        seen[isValid ? 'valid' : 'invalid'] += 1;
        if (isValid) describeContent(form, content as Content);
      }),
      { numRuns: 500 },
    );
    expect(Math.min(seen.valid, seen.invalid)).toBeGreaterThan(50);
  });
});

describe('what people read', () => {
  const form = checkForm({
    type: 'object',
    properties: {
      region: {
        type: 'string',
        title: 'Region',
        oneOf: [
          { const: 'eu', title: 'Europe' },
          { const: 'us', title: 'America' },
        ],
        default: 'us',
      },
      zones: {
        type: 'array',
        items: {
          anyOf: [
            { const: 'a', title: 'Zone A' },
            { const: 'b', title: 'Zone B' },
          ],
        },
        default: ['b', 'a'],
      },
      tags: { type: 'array', items: { type: 'string', enum: ['x'] } },
      now: { type: 'boolean', default: false },
      count: { type: 'integer' },
      valueOf: { type: 'string' },
    },
  });

  test('are the titles of what was chosen, in the order of the form', () => {
    const content = { count: 3, tags: [], now: true, zones: ['b', 'a'], region: 'eu' };
    expect(describeContent(form, content)).toEqual([
      { label: 'Region', value: 'Europe' },
      { label: 'zones', value: 'Zone B, Zone A' },
      { label: 'tags', value: 'none' },
      { label: 'now', value: 'yes' },
      { label: 'count', value: '3' },
    ]);
    expect(describeContent(form, {})).toEqual([]);
  });

  test('of several options, one with a comma does not look like two', () => {
    const options = ['a', 'b', 'a, b', '"a"', 'none'];
    const several = parseForm(
      JSON.stringify({
        type: 'object',
        properties: { several: { type: 'array', items: { type: 'string', enum: options } } },
      }),
    );
    const shown = [['a', 'b'], ['a, b'], ['"a"'], ['none'], []].map(
      (chosen) => describeContent(several, { several: chosen })[0]?.value,
    );
    expect(shown).toEqual(['a, b', '"a, b"', '"\\"a\\""', '"none"', 'none']);
  });

  test('are the defaults first', () => {
    expect(defaultsOf(form)).toEqual({ region: 'us', zones: ['b', 'a'], now: false });
  });

  test('are options with their titles', () => {
    const { region, tags, now } = form.properties as Record<'region' | 'tags' | 'now', Field>;
    expect(optionsOf(region)).toEqual([
      { value: 'eu', title: 'Europe' },
      { value: 'us', title: 'America' },
    ]);
    expect(optionsOf(tags)).toEqual([{ value: 'x', title: 'x' }]);
    expect(optionsOf(now)).toEqual([]);
  });

  test('is nothing for an approval', () => {
    expect(isApproval(form)).toBe(false);
    expect(isApproval({ type: 'object', properties: {} })).toBe(true);
  });

  test.each([
    [{ type: 'string', minLength: 1 }, '', 'At least 1 character.'],
    [{ type: 'string', maxLength: 2 }, 'abc', 'At most 2 characters.'],
    [{ type: 'number', minimum: 0.5 }, 0, 'At least 0.5.'],
    [
      { type: 'array', minItems: 2, items: { type: 'string', enum: ['a', 'b'] } },
      ['a'],
      'At least 2 options.',
    ],
  ] as const)('%j with %j: %s', (field, value, message) => {
    expect(checkContent({ type: 'object', properties: { a: field } }, { a: value })).toEqual([
      { name: 'a', message },
    ]);
  });
});
