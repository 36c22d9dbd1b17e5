import { RelayError } from '../relay-error.ts';
import { isObject, type Members, parseJson } from '../transport/shape.ts';
import { isText, lengthOf, problemOf } from './check-content.ts';
import type { Field, Form } from './form.ts';
import { formats } from './formats.ts';

const maxBytes = 8_192;
const maxFields = 20;
const maxOptions = 50;

/** Returns the member without what is not part of a form, or throws. */
type Check = (value: unknown, path: string) => unknown;
type Checks = Readonly<Record<string, Check>>;

export function invalidForm(path: string, sentence: string, options?: ErrorOptions): never {
  throw new RelayError('invalid_form', `${path || 'form'}: ${sentence}`, options);
}

/** The path of a member. Names of foreign forms may contain anything. */
const memberPath = (path: string, name: string | number): string =>
  `${path && `${path}.`}${String(name)
    .slice(0, 64)
    .replace(/[^\w$-]/g, '?')}`;

/** Whether a text has at most so many bytes in UTF-8. */
export const fits = (text: string, bytes: number): boolean =>
  text.length <= bytes && new TextEncoder().encode(text).length <= bytes;

/**
 * Reads a form from JSON text.
 *
 * @throws RelayError `invalid_input` (`invalid_form`), with the path of the member that is not allowed
 *
 * @example
 * const form = parseForm('{ "type": "object", "properties": { "count": { "type": "integer" } } }');
 */
export function parseForm(json: string): Form {
  if (!fits(json, maxBytes)) return invalidForm('', `This has more than ${maxBytes} bytes.`);
  const value = parseJson(json);
  return value === undefined ? invalidForm('', 'This is not JSON.') : readForm(value);
}

/**
 * Checks a value, and returns a copy that has the members of a form alone.
 * @throws RelayError `invalid_input` (`invalid_form`), with the path of the member that is not allowed
 */
export function checkForm(value: unknown): Form {
  const form = readForm(value);
  return fits(JSON.stringify(form), maxBytes)
    ? form
    : invalidForm('', `This has more than ${maxBytes} bytes.`);
}

function readForm(value: unknown): Form {
  const form = readMembers(value, '', {
    $schema: () => undefined,
    type: only('object'),
    properties: readProperties,
    required: (names, path) =>
      Array.isArray(names) ? [...names] : invalidForm(path, 'This must be a list.'),
  });
  const { properties, required = [] } = requireMembers(form, '', 'type', 'properties') as unknown as Form;
  for (const [index, name] of required.entries()) {
    if (typeof name !== 'string' || !Object.hasOwn(properties, name)) {
      invalidForm(`required.${index}`, 'There is no property with this name.');
    }
  }
  checkDistinct(required, (index) => `required.${index}`);
  return form as unknown as Form;
}

function readMembers(value: unknown, path: string, checks: Checks): Record<string, unknown> {
  if (!isObject(value)) return invalidForm(path, 'This must be an object.');
  const copy: Record<string, unknown> = {};
  for (const name of Object.keys(value)) {
    // As in JSON, a member that is undefined is absent.
    if (value[name] === undefined) continue;
    const at = memberPath(path, name);
    const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
    const allowed = Object.keys(checks).join(', ');
    const checked = check
      ? check(value[name], at)
      : invalidForm(at, `This is not allowed in a form. What is allowed here: ${allowed}.`);
    if (checked !== undefined) copy[name] = checked;
  }
  return copy;
}

function requireMembers<T extends object>(object: T, path: string, ...names: readonly string[]): T {
  const missing = names.find((name) => !Object.hasOwn(object, name));
  return missing === undefined ? object : invalidForm(memberPath(path, missing), 'This is missing.');
}

function readProperties(value: unknown, path: string): Members {
  if (!isObject(value)) return invalidForm(path, 'This must be an object.');
  const names = Object.keys(value).filter((name) => value[name] !== undefined);
  if (names.length > maxFields) invalidForm(path, `A form has at most ${maxFields} fields.`);
  const fields = names.map((name) => {
    const at = memberPath(path, name);
    if (!/^(?!(?:constructor|prototype)$)[a-z]\w{0,63}$/i.test(name)) {
      invalidForm(at, 'A name has 1 to 64 letters, digits and underscores, and begins with a letter.');
    }
    return [name, readField(value[name], at)];
  });
  return Object.fromEntries(fields);
}

const notAType = 'This must be the type of a field: string, number, integer, boolean or array.';

function readField(value: unknown, path: string): Field {
  const members = isObject(value) ? membersOf(value) : {};
  if (!members) return invalidForm(memberPath(path, 'type'), notAType);
  const copy = readMembers(value, path, { ...labels, ...members });
  requireMembers(copy, path, 'type', ...(members.items ? ['items'] : []));
  for (const [least = '', most = ''] of ranges) {
    if (Number(copy[least]) > Number(copy[most]))
      invalidForm(`${path}.${most}`, `This is less than ${least}.`);
  }
  const field = copy as unknown as Field;
  const problem = field.default === undefined ? undefined : problemOf(field, field.default);
  return problem === undefined ? field : invalidForm(`${path}.default`, problem);
}

const ranges = [
  ['minLength', 'maxLength'],
  ['minimum', 'maximum'],
  ['minItems', 'maxItems'],
];

/** The members of a field that depend on its type. */
function membersOf(field: Members): Checks | undefined {
  switch (field.type) {
    case 'string':
      if (field.enum !== undefined) return { enum: values };
      if (field.oneOf !== undefined) return { oneOf: titledOptions };
      return { minLength: size, maxLength: size, format: only(...Object.keys(formats)) };
    case 'number':
      return { minimum: number, maximum: number };
    case 'integer':
      return { minimum: integer, maximum: integer };
    case 'boolean':
      return {};
    case 'array':
      return { minItems: size, maxItems: size, items: readItems };
  }
  return undefined;
}

const only =
  (...allowed: readonly string[]): Check =>
  (value, path) =>
    allowed.includes(value as string) ? value : invalidForm(path, `This must be: ${allowed.join(', ')}.`);

const numeric =
  (isValid: (value: unknown) => boolean, expected: string): Check =>
  (value, path) =>
    isValid(value) ? value : invalidForm(path, `This must be a ${expected}.`);

const number = numeric(Number.isFinite, 'number');
const integer = numeric(Number.isSafeInteger, 'whole number');
const size = numeric((value) => Number.isSafeInteger(value) && Number(value) >= 0, 'whole number from 0 on');

const text =
  (maxLength: number, isBlank = (_text: string) => false) =>
  (value: unknown, path: string): string => {
    if (!isText(value) || isBlank(value)) return invalidForm(path, 'This must be a text that can be read.');
    if (lengthOf(value) > maxLength) invalidForm(path, `This has more than ${maxLength} characters.`);
    return value;
  };

const title = text(200, (value) => value.trim() === '');
const unchanged: Check = (value) => value;
const labels: Checks = { type: unchanged, title, description: text(1_000), default: unchanged };

function readItems(value: unknown, path: string): Members {
  const isTitled = isObject(value) && value.anyOf !== undefined;
  if (isTitled) return readMembers(value, path, { anyOf: titledOptions });
  const items = readMembers(value, path, { type: only('string'), enum: values });
  return requireMembers(items, path, 'type', 'enum');
}

function values(value: unknown, path: string): readonly string[] {
  const read = list(value, path, title);
  checkDistinct(read.map(asShown), (index) => `${path}.${index}`);
  return read;
}

function titledOptions(value: unknown, path: string): readonly Members[] {
  const read = list(value, path, (option, at) =>
    requireMembers(readMembers(option, at, { const: title, title }), at, 'const', 'title'),
  );
  checkDistinct(
    read.map((option) => option.const),
    (index) => `${path}.${index}.const`,
  );
  checkDistinct(
    read.map((option) => asShown(option.title as string)),
    (index) => `${path}.${index}.title`,
  );
  return read;
}

/** Two options that differ in less cannot be distinguished by the person who chooses. */
const asShown = (label: string): string => label.normalize('NFC').trim();

function list<T>(value: unknown, path: string, read: (value: unknown, path: string) => T): readonly T[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > maxOptions) {
    return invalidForm(path, `This must be a list of 1 to ${maxOptions} options.`);
  }
  return Array.from(value, (one, index) => read(one, `${path}.${index}`));
}

function checkDistinct(texts: readonly unknown[], pathOf: (index: number) => string): void {
  const again = texts.findIndex((one, index) => texts.indexOf(one) < index);
  if (again >= 0) invalidForm(pathOf(again), 'This is there twice.');
}
