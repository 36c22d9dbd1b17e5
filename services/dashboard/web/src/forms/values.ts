import { type Content, checkContent, type Field, type Form } from '@expert-relay/sdk/forms';
import { readNumber } from '@expert-relay/sdk/internal';

/** What the controls of a form contain, by the names of the fields. An empty text or list: the field is not filled in. */
export type Values = Readonly<Record<string, string | readonly string[]>>;

/** The controls for a content, such as the defaults of the form. */
export function valuesOf({ properties }: Form, content: Content): Values {
  const values = Object.entries(properties).map(([name, { type }]) => {
    const value = Object.hasOwn(content, name) ? content[name] : undefined;
    if (type === 'array') return [name, Array.isArray(value) ? value : []];
    return [name, value === undefined ? '' : String(value)];
  });
  return Object.fromEntries(values);
}

/** A field that is not filled in is absent. */
export function contentOf({ properties }: Form, values: Values): Content {
  const content = Object.entries(properties).flatMap(([name, field]) => {
    const value = readValue(field, values[name] ?? '');
    return value === undefined ? [] : [[name, value]];
  });
  return Object.fromEntries(content);
}

function readValue({ type }: Field, value: string | readonly string[]): Content[string] | undefined {
  if (value.length === 0) return undefined;
  if (typeof value !== 'string') return value;
  if (type === 'boolean') return value === 'true';
  if (type !== 'number' && type !== 'integer') return value;
  const typed = readNumber(value);
  // NaN is not valid in any field.
  return typed && (type === 'number' || typed.isWhole) ? typed.value : Number.NaN;
}

/** The number that is sent, where it is not the one in the control. */
export function sentInstead({ type }: Field, value: string): string | undefined {
  const typed = type === 'number' ? readNumber(value) : undefined;
  return typed && !typed.isExact && Number.isFinite(typed.value) ? JSON.stringify(typed.value) : undefined;
}

/** The sentences for what must be changed, by the names of the fields. */
export const problemsOf = (form: Form, values: Values): ReadonlyMap<string, string> =>
  new Map(checkContent(form, contentOf(form, values)).map(({ name, message }) => [name, message]));

/** A field of a form, as the control that the agent asks for. */
export interface FieldProps {
  readonly name: string;
  readonly field: Field;
  readonly value: string | readonly string[];
  readonly isRequired: boolean;
  /** What must be changed. */
  readonly problem: string | undefined;
  readonly onChange: (value: string | readonly string[]) => void;
}
