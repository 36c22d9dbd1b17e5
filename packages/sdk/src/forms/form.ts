/** What all fields may have. */
interface Labels {
  /** What people read in place of the name. */
  readonly title?: string | undefined;
  readonly description?: string | undefined;
}

/** A text. */
export interface TextField extends Labels {
  readonly type: 'string';
  /** Lengths are counted in code points. */
  readonly minLength?: number | undefined;
  readonly maxLength?: number | undefined;
  readonly format?: 'email' | 'uri' | 'date' | 'date-time' | undefined;
  /** A default is only prefilled: an absent value stays absent. */
  readonly default?: string | undefined;
}

/** A number. */
export interface NumberField extends Labels {
  /** An `integer` is within ±(2^53 - 1). */
  readonly type: 'number' | 'integer';
  readonly minimum?: number | undefined;
  readonly maximum?: number | undefined;
  readonly default?: number | undefined;
}

/** Yes or no. */
export interface BooleanField extends Labels {
  readonly type: 'boolean';
  readonly default?: boolean | undefined;
}

interface TitledOption {
  readonly const: string;
  readonly title: string;
}

/** One of several options. */
export type ChoiceField = Labels & { readonly type: 'string'; readonly default?: string | undefined } & (
    | { readonly enum: readonly string[] }
    | { readonly oneOf: readonly TitledOption[] }
  );

/** Several of several options, each at most once. */
export interface ChoicesField extends Labels {
  readonly type: 'array';
  readonly minItems?: number | undefined;
  readonly maxItems?: number | undefined;
  readonly items:
    | { readonly type: 'string'; readonly enum: readonly string[] }
    | { readonly anyOf: readonly TitledOption[] };
  readonly default?: readonly string[] | undefined;
}

/** One field of a form. */
export type Field = TextField | NumberField | BooleanField | ChoiceField | ChoicesField;

/** A form as MCP has it: a flat JSON Schema object. One without properties asks for an approval. */
export interface Form {
  readonly type: 'object';
  readonly properties: { readonly [name: string]: Field };
  readonly required?: readonly string[] | undefined;
}

/** What an expert has filled in. Fields that were left empty are absent. */
export interface Content {
  readonly [name: string]: string | number | boolean | readonly string[];
}

/** One option of a choice. */
export interface FieldOption {
  readonly value: string;
  /** What people read: the value itself, if the form gives no title. */
  readonly title: string;
}

/**
 * Whether a form has no fields: then it asks for an approval.
 *
 * @example
 * if (isApproval(form)) console.log('Approve or decline.');
 */
export const isApproval = (form: Form): boolean => Object.keys(form.properties).length === 0;

/**
 * The options of a choice, in their order. Other fields have none.
 *
 * @example
 * for (const [name, field] of Object.entries(form.properties)) {
 *   console.log(name, optionsOf(field).map(({ title }) => title));
 * }
 */
export function optionsOf(field: Field): readonly FieldOption[] {
  const choice = field.type === 'array' ? field.items : field;
  if ('enum' in choice) return choice.enum.map((value) => ({ value, title: value }));
  const titled = 'oneOf' in choice ? choice.oneOf : 'anyOf' in choice ? choice.anyOf : [];
  return titled.map(({ const: value, title }) => ({ value, title }));
}
