import { RelayError } from '../relay-error.ts';
import { isObject, type Members } from '../transport/shape.ts';
import { checkContent } from './check-content.ts';
import { checkForm, invalidForm } from './check-form.ts';
import type { ContentOf } from './content-of.ts';
import type { Form } from './form.ts';
import { isStandardSchema, type StandardSchema } from './standard-schema.ts';

/**
 * The form that an agent sends.
 *
 * @throws RelayError `invalid_input` (`invalid_form`), with the path of the member that is not allowed
 *
 * @example
 * const form = toForm(z.object({ region: z.enum(['eu', 'us']), count: z.int().min(1).max(9).optional() }));
 */
export function toForm(schema: Form | StandardSchema): Form {
  if (!isStandardSchema(schema)) return checkLabels(checkForm(schema));
  const result = jsonSchemaOf(schema, 'output');
  const form = checkLabels(checkForm(convert(result)));
  const given = members(jsonSchemaOf(schema, 'input').properties);
  for (const [name, field] of Object.entries(members(result.properties))) {
    if (JSON.stringify(field) !== JSON.stringify(given[name])) {
      invalidForm(
        `properties.${name}`,
        'The schema changes what the expert gives: change it after the answer.',
      );
    }
  }
  return form;
}

/** Labels with these characters could be shown as something else. Readers replace them, and an agent does not send them. */
function checkLabels(form: Form): Form {
  function check(value: unknown, path: string): void {
    if (typeof value === 'object' && value !== null) {
      for (const [name, member] of Object.entries(value)) check(member, `${path}.${name}`);
    } else if (/[\p{Cc}\u202d\u202e]/u.test(String(value))) {
      invalidForm(path, 'This has a line break, a control character or a direction override.');
    }
  }
  for (const [name, { default: _prefilled, ...field }] of Object.entries(form.properties)) {
    check(field, `properties.${name}`);
  }
  return form;
}

function jsonSchemaOf(schema: StandardSchema, side: 'input' | 'output'): Members {
  const { jsonSchema } = schema['~standard'] as Partial<StandardSchema['~standard']>;
  if (!jsonSchema) {
    return invalidForm(
      '',
      'This schema gives no JSON Schema: use zod from 4.2 on, or give the form as an object.',
    );
  }
  try {
    return jsonSchema[side]({ target: 'draft-2020-12' });
  } catch (cause) {
    return invalidForm('', 'This schema cannot be written as JSON Schema.', { cause });
  }
}

function convert({ additionalProperties: _closed, ...root }: Members): Members {
  if (!isObject(root.properties)) return root;
  const fields = Object.entries(root.properties).map(([name, field]) => [
    name,
    isObject(field) ? convertField(field) : field,
  ]);
  return { ...root, properties: Object.fromEntries(fields) };
}

const members = (value: unknown): Members => (isObject(value) ? value : {});

/** Writes a field as forms have it. What has no place in a form stays, and is refused with its path. */
function convertField(field: Members): Members {
  const choice = convertUnion(field, 'oneOf');
  const { items, pattern, minimum, maximum, ...others } =
    choice === field ? field : { type: 'string', ...choice };
  // An integer has these limits always.
  const limit = field.type === 'integer' ? Number.MAX_SAFE_INTEGER : undefined;
  return {
    ...others,
    items: isObject(items) ? convertUnion(items, 'anyOf') : items,
    // The pattern of a format says the same as the format.
    pattern: field.format === undefined ? pattern : undefined,
    minimum: limit && minimum === -limit ? undefined : minimum,
    maximum: limit && maximum === limit ? undefined : maximum,
  };
}

/** Options with titles are a union of texts: libraries give each its type, and differ in the name of the union. */
function convertUnion(choice: Members, name: 'oneOf' | 'anyOf'): Members {
  const { oneOf, anyOf = oneOf, ...others } = choice;
  const isUnion = Array.isArray(anyOf) && anyOf.every((option) => isObject(option) && 'const' in option);
  if (!isUnion || (oneOf ?? anyOf) !== anyOf) return choice;
  const options = anyOf.map(({ type, ...option }: Members) =>
    type === 'string' ? option : { type, ...option },
  );
  return { ...others, [name]: options };
}

/**
 * The content of an answer as the program gets it: checked against the form that was sent and, where the form was made of a
 * Standard Schema, by the library.
 * @throws RelayError `answer_invalid`
 */
export async function readContent<const F extends Form | StandardSchema>(
  schema: F,
  form: Form,
  content: unknown,
): Promise<ContentOf<F>> {
  const [problem] = checkContent(form, content);
  if (problem) throw answerInvalid(problem.name, problem.message);
  if (!isStandardSchema(schema)) return content as ContentOf<F>;
  const validated = await schema['~standard'].validate(content);
  if (!validated.issues) return validated.value as ContentOf<F>;
  const { path = [], message = '' } = validated.issues[0] ?? {};
  const names = path.map((one) => String(typeof one === 'object' ? one.key : one));
  throw answerInvalid(names.join('.'), message);
}

const answerInvalid = (name: string, sentence: string) =>
  new RelayError('answer_invalid', `${name || 'answer'}: ${sentence}`);
