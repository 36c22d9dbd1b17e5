import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { lint, loadConfig } from '@redocly/openapi-core';
import { parse } from 'yaml';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const documentPath = here('../../docs/openapi.yaml');

type Schema = Readonly<Record<string, unknown>>;

/** Every schema in a document, with its path: the values of `schema` and `schemas`, and the schemas in them. */
function* schemas(value: unknown, at = '#', isSchema = false): Generator<[string, unknown]> {
  if (isSchema) yield [at, value];
  if (typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    const path = `${at}/${name}`;
    if (!isSchema) {
      if (name === 'schemas')
        for (const [one, schema] of Object.entries(member as Schema))
          yield* schemas(schema, `${path}/${one}`, true);
      else yield* schemas(member, path, name === 'schema');
    } else if (['properties', 'oneOf', 'anyOf', 'allOf'].includes(name)) {
      for (const [one, schema] of Object.entries(member as Schema))
        yield* schemas(schema, `${path}/${one}`, true);
    } else if (['items', 'not', 'propertyNames'].includes(name)) yield* schemas(member, path, true);
  }
}

/** Valid forms that client generators do not support, or warn about. */
function unusualForms(document: unknown): string[] {
  return [...schemas(document)].flatMap(([at, schema]) => {
    if (typeof schema === 'boolean') return [`${at} is a boolean schema.`];
    const { type, anyOf } = schema as Schema;
    return [
      ...(type === 'null' ? [`${at} is of type null: write type: [string, 'null'].`] : []),
      ...(anyOf
        ? [`${at} is an anyOf: write oneOf, each variant with a title and its own required members.`]
        : []),
    ];
  });
}

describe('docs/openapi.yaml for client generators:', () => {
  test('unusual forms are found', () => {
    const document = {
      components: {
        schemas: {
          A: { properties: { a: false, b: { anyOf: [{ required: ['x'] }, { type: 'null' }] } } },
        },
      },
    };
    expect(unusualForms(document)).toEqual([
      '#/components/schemas/A/properties/a is a boolean schema.',
      expect.stringContaining('#/components/schemas/A/properties/b is an anyOf'),
      expect.stringContaining('#/components/schemas/A/properties/b/anyOf/1 is of type null'),
    ]);
  });

  test('there are no unusual forms and no aliases', () => {
    expect(unusualForms(parse(readFileSync(documentPath, 'utf8'), { maxAliasCount: 0 }))).toEqual([]);
  });

  test("Redocly's recommended rules find nothing", async () => {
    const config = await loadConfig({ configPath: here('../../redocly.yaml') });
    const problems = await lint({ ref: documentPath, config });
    expect(problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual(
      [],
    );
  });
});
