import { describe, expect, test } from '@jest/globals';
import * as z from 'zod';
import * as mini from 'zod/mini';
import { type ContentOf, checkContent, type Form, type StandardSchema, toForm } from './index.ts';
import { readContent } from './to-form.ts';

const approval = { type: 'object', properties: {} } as const;

/** Compiles only if both types are equal. */
function equal<A, B>(
  ..._same: (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? [] : [never]
) {}

const deployment = z.object({
  region: z.enum(['eu', 'us']).meta({ title: 'Region', description: 'Where to deploy.' }),
  size: z
    .union([z.literal('s').meta({ title: 'Small' }), z.literal('l').meta({ title: 'Large' })])
    .meta({ title: 'Size' })
    .default('s'),
  zones: z
    .array(z.enum(['a', 'b', 'c']))
    .min(1)
    .max(2),
  tags: z.array(z.xor([z.literal('x').meta({ title: 'X' }), z.literal('y').meta({ title: 'Y' })])),
  count: z.int().min(1).max(9),
  any: z.int(),
  share: z.number().max(0.5).optional(),
  now: z.boolean().default(false),
  owner: z.email(),
  page: z.url().optional(),
  day: z.iso.date().optional(),
  at: z.iso.datetime({ offset: true }).optional(),
  note: z.string().min(1).max(20).describe('Why?').optional(),
});

const content = {
  region: 'eu',
  size: 'l',
  zones: ['c', 'a'],
  tags: [],
  count: 3,
  any: -1,
  now: true,
  owner: 'ada@example.com',
};

describe('a schema of zod', () => {
  test('becomes a form without any other member', () => {
    expect(toForm(deployment)).toEqual({
      type: 'object',
      properties: {
        region: { type: 'string', enum: ['eu', 'us'], title: 'Region', description: 'Where to deploy.' },
        size: {
          type: 'string',
          title: 'Size',
          default: 's',
          oneOf: [
            { const: 's', title: 'Small' },
            { const: 'l', title: 'Large' },
          ],
        },
        zones: { type: 'array', items: { type: 'string', enum: ['a', 'b', 'c'] }, minItems: 1, maxItems: 2 },
        tags: {
          type: 'array',
          items: {
            anyOf: [
              { const: 'x', title: 'X' },
              { const: 'y', title: 'Y' },
            ],
          },
        },
        count: { type: 'integer', minimum: 1, maximum: 9 },
        any: { type: 'integer' },
        share: { type: 'number', maximum: 0.5 },
        now: { type: 'boolean', default: false },
        owner: { type: 'string', format: 'email' },
        page: { type: 'string', format: 'uri' },
        day: { type: 'string', format: 'date' },
        at: { type: 'string', format: 'date-time' },
        note: { type: 'string', minLength: 1, maxLength: 20, description: 'Why?' },
      },
      // A field with a default must be there, so that the program gets what the expert has chosen.
      required: ['region', 'size', 'zones', 'tags', 'count', 'any', 'now', 'owner'],
    });
  });

  test('becomes the same form as the JSON Schema that zod makes of it', () => {
    const schema = z.object({ region: z.enum(['eu', 'us']), note: z.string().max(9).optional() });
    const { additionalProperties: _closed, ...json } = z.toJSONSchema(schema);
    expect(toForm(json as unknown as Form)).toEqual(toForm(schema));
  });

  test('without fields is an approval', () => {
    expect(toForm(z.object({}))).toEqual({ ...approval });
  });

  test.each([
    ['a nested object', z.object({ a: z.object({}) }), 'properties.a.type: '],
    ['no object', z.string(), 'type: '],
    ['a record', z.record(z.string(), z.string()), 'propertyNames: '],
    ['a pattern', z.object({ a: z.string().regex(/^(a+)+$/) }), 'properties.a.pattern: '],
    ['an unknown format', z.object({ a: z.uuid() }), 'properties.a.format: '],
    ['null', z.object({ a: z.string().nullable() }), 'properties.a.type: '],
    ['a literal', z.object({ a: z.literal('x') }), 'properties.a.const: '],
    ['a union of types', z.object({ a: z.union([z.string(), z.number()]) }), 'properties.a.type: '],
    [
      'a union of numbers',
      z.object({ a: z.union([z.literal(1).meta({ title: 'One' }), z.literal(2).meta({ title: 'Two' })]) }),
      'properties.a.oneOf.0.type: ',
    ],
    [
      'an option without a title',
      z.object({ a: z.union([z.literal('x').meta({ title: 'X' }), z.literal('y')]) }),
      'properties.a.oneOf.1.title: ',
    ],
    ['an exclusive limit', z.object({ a: z.number().positive() }), 'properties.a.exclusiveMinimum: '],
    ['a step', z.object({ a: z.int().multipleOf(2) }), 'properties.a.multipleOf: '],
    ['a reference', z.object({ a: z.enum(['a']).meta({ id: 'Region' }) }), 'properties.a.type: '],
    ['a member of meta', z.object({ a: z.string().meta({ examples: ['x'] }) }), 'properties.a.examples: '],
    ['the name __proto__', z.object({ ['__proto__']: z.string() }), 'properties.__proto__: '],
    [
      '51 options',
      z.object({ a: z.enum(Array.from({ length: 51 }, (_, i) => `o${i}`)) }),
      'properties.a.enum: ',
    ],
    ['a hidden character', z.object({ a: z.string().meta({ title: 'a\u202eb' }) }), 'properties.a.title: '],
    ['a value that becomes another type', z.object({ a: z.stringbool() }), 'properties.a: '],
    ['a value that is filled in later', z.object({ a: z.string().prefault('x') }), 'properties.a: '],
    ['a transformation', z.object({ a: z.string().transform(Number) }), 'form: '],
    ['a date', z.object({ a: z.date() }), 'form: '],
    ['a set', z.object({ a: z.set(z.string()) }), 'form: '],
  ])('with %s is refused with its path', (_name, schema, message) => {
    expect(() => toForm(schema as unknown as StandardSchema)).toThrow(
      expect.objectContaining({ reason: 'invalid_form', message: expect.stringContaining(message) }),
    );
  });

  test('of a library that gives no JSON Schema is refused with what to do', () => {
    const schema = mini.object({ a: mini.string() });
    // @ts-expect-error: it has no member `jsonSchema`
    expect(() => toForm(schema)).toThrow('use zod from 4.2 on, or give the form as an object');
  });

  test('that is a function is accepted, as of some libraries', () => {
    const schema = Object.assign(() => undefined, { '~standard': deployment['~standard'] });
    expect(toForm(schema)).toEqual(toForm(deployment));
  });
});

describe('a content', () => {
  const form = toForm(deployment);

  test('is what the library makes of it', async () => {
    const given = await readContent(deployment, form, content);
    expect(given).toEqual(content);
    equal<typeof given, z.output<typeof deployment>>();
    equal<(typeof given)['region'], 'eu' | 'us'>();
  });

  test.each([
    ['without a required value', { ...content, size: undefined }, 'size: This is required.'],
    ['with another option', { ...content, region: 'EU' }, 'region: Choose one of the options.'],
    ['with another field', { ...content, admin: true }, 'admin: The form has no such field.'],
    ['that is no object', 'eu', 'answer: Give an object with the fields.'],
  ])('%s is refused by the form', async (_name, wrong, message) => {
    const refused = readContent(deployment, form, wrong);
    await expect(refused).rejects.toMatchObject({ code: 'answer_invalid', message });
  });

  test('is refused by the library where the form cannot say it', async () => {
    const schema = z
      .object({ least: z.int(), most: z.int() })
      .refine(({ least, most }) => least <= most, { path: ['most'], message: 'Less than least.' });
    const refused = readContent(schema, toForm(schema), { least: 2, most: 1 });
    await expect(refused).rejects.toMatchObject({
      code: 'answer_invalid',
      message: 'most: Less than least.',
    });
    const slow = z.object({ name: z.string().refine(async (name) => name !== 'taken', 'Taken.') });
    expect(await readContent(slow, toForm(slow), { name: 'free' })).toEqual({ name: 'free' });
    await expect(readContent(slow, toForm(slow), { name: 'taken' })).rejects.toThrow('name: Taken.');
  });

  test('of a form that is no schema is returned unchanged', async () => {
    const form = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] } as const;
    const { n } = await readContent(form, toForm(form), { n: 3 });
    equal<typeof n, number>();
    expect(n).toBe(3);
    await expect(readContent(form, toForm(form), {})).rejects.toMatchObject({ code: 'answer_invalid' });
  });
});

test('the type of a content follows from a form that is written as a constant', () => {
  const form = {
    type: 'object',
    properties: {
      region: { type: 'string', enum: ['eu', 'us'] },
      size: {
        type: 'string',
        oneOf: [
          { const: 's', title: 'Small' },
          { const: 'l', title: 'Large' },
        ],
      },
      zones: { type: 'array', items: { type: 'string', enum: ['a', 'b'] } },
      tags: { type: 'array', items: { anyOf: [{ const: 'x', title: 'X' }] } },
      count: { type: 'integer', minimum: 1 },
      share: { type: 'number' },
      now: { type: 'boolean', default: false },
      note: { type: 'string', maxLength: 20 },
    },
    required: ['region', 'zones', 'now'],
  } as const satisfies Form;
  equal<
    ContentOf<typeof form>,
    {
      readonly region: 'eu' | 'us';
      readonly size?: 's' | 'l';
      readonly zones: readonly ('a' | 'b')[];
      readonly tags?: readonly 'x'[];
      readonly count?: number;
      readonly share?: number;
      readonly now: boolean;
      readonly note?: string;
    }
  >();
  // biome-ignore lint/complexity/noBannedTypes: an approval has no content
  equal<ContentOf<typeof approval>, {}>();
  equal<ContentOf<Form>, { readonly [name: string]: string | number | boolean | readonly string[] }>();
  equal<ContentOf<typeof deployment>, z.output<typeof deployment>>();
  const wrong: Form = {
    type: 'object',
    // @ts-expect-error: a form has no nested objects
    properties: { a: { type: 'object', properties: {} } },
  };
  expect(checkContent(form, { region: 'eu', zones: [], now: true })).toEqual([]);
  expect(() => toForm(wrong)).toThrow('properties.a.type: ');
});
