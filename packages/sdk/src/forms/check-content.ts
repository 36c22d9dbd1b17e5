import { isObject } from '../transport/shape.ts';
import { type Field, type Form, optionsOf } from './form.ts';
import { formats } from './formats.ts';

/** Something that a person must change in a field. */
export interface ContentProblem {
  /** The field's name; empty where the content as a whole is wrong. */
  readonly name: string;
  readonly message: string;
}

/** A lone surrogate cannot be sent as UTF-8. */
export const isText = (value: unknown): value is string =>
  typeof value === 'string' && !/\p{Cs}/u.test(value);

export const lengthOf = (text: string): number => [...text].length;

/**
 * What is wrong with a content, one problem for each field: a content without problems is valid.
 *
 * @example
 * const [problem] = checkContent(form, { count: 12 });
 * if (problem) console.log(`${problem.name}: ${problem.message}`);
 */
export function checkContent(form: Form, content: unknown): readonly ContentProblem[] {
  if (!isObject(content)) return [{ name: '', message: 'Give an object with the fields.' }];
  const problems: ContentProblem[] = [];
  const report = (name: string, message: string | undefined) => message && problems.push({ name, message });
  for (const [name, field] of Object.entries(form.properties)) {
    const value = Object.hasOwn(content, name) ? content[name] : undefined;
    if (value !== undefined) report(name, problemOf(field, value));
    else if (form.required?.includes(name)) report(name, 'This is required.');
  }
  const isExtra = (name: string) => content[name] !== undefined && !Object.hasOwn(form.properties, name);
  const extra = Object.keys(content).find(isExtra);
  if (extra !== undefined) report(extra, 'The form has no such field.');
  return problems;
}

/** Undefined when the value is valid. */
export function problemOf(field: Field, value: unknown): string | undefined {
  switch (field.type) {
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'Choose yes or no.';
    case 'number':
      if (!Number.isFinite(value)) return 'Give a number.';
      return outside(Number(value), field.minimum, field.maximum);
    case 'integer':
      if (!Number.isSafeInteger(value)) return 'Give a whole number.';
      return outside(Number(value), field.minimum, field.maximum);
    case 'array': {
      const given = Array.isArray(value) ? value : [undefined];
      const chosen = new Set(given);
      if (chosen.size < given.length || [...chosen].some((one) => !isOption(field, one))) {
        return 'Choose from the options, each at most once.';
      }
      return outside(chosen.size, field.minItems, field.maxItems, 'option');
    }
    case 'string':
      if ('enum' in field || 'oneOf' in field) {
        return isOption(field, value) ? undefined : 'Choose one of the options.';
      }
      if (!isText(value)) return 'Give a text.';
      if (field.format && !formats[field.format].matches(value)) return formats[field.format].expected;
      return outside(lengthOf(value), field.minLength, field.maxLength, 'character');
  }
}

const isOption = (field: Field, value: unknown): boolean =>
  optionsOf(field).some((option) => option.value === value);

function outside(amount: number, least = -Infinity, most = Infinity, noun = ''): string | undefined {
  const counted = (limit: number) => (noun ? `${limit} ${noun}${limit === 1 ? '' : 's'}` : `${limit}`);
  if (amount < least) return `At least ${counted(least)}.`;
  return amount > most ? `At most ${counted(most)}.` : undefined;
}
