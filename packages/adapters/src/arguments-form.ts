import { type Content, type Form, toForm } from '@expert-relay/sdk/forms';
import { hasHidden, parseExactly, toJson } from '@expert-relay/sdk/internal';
import type { ToolCall } from './tool-call.ts';

export type Arguments = Readonly<Record<string, unknown>>;

/** The form in which an expert approves a call, and may change its arguments. */
export interface ArgumentsForm {
  readonly form: Form;
  readonly isEditable: boolean;
  /** The arguments in an answer; undefined for a text that has none. */
  read(content: Content): unknown;
}

/**
 * The fields of the arguments where a form can have them, else their JSON in one field. Arguments that fit into neither can be
 * approved or declined.
 */
export function formOf(call: ToolCall): ArgumentsForm {
  const { arguments: proposed, canEdit = true } = call;
  const approval = {
    form: { type: 'object', properties: {} } as const,
    isEditable: false,
    read: () => proposed,
  };
  if (!canEdit || !isObject(proposed) || Object.keys(proposed).length === 0 || !isJson(proposed))
    return approval;
  const fields = fieldsOf(proposed, call.schema);
  if (fields && isForm(fields)) return { form: fields, isEditable: true, read: (content) => content };
  const field = {
    type: 'string',
    title: 'Arguments',
    description: 'As JSON.',
    default: toJson(proposed),
  } as const;
  const form = { type: 'object', properties: { arguments: field }, required: ['arguments'] } as const;
  return isForm(form) ? { form, isEditable: true, read: readJson } : approval;
}

function isForm(form: Form): boolean {
  try {
    toForm(form);
    return true;
  } catch {
    return false;
  }
}

function readJson({ arguments: text }: Content): unknown {
  const read = parseExactly(String(text));
  return isJson(read) ? read : undefined;
}

/** What else a schema says, such as a pattern, the framework checks when the tool runs. */
const fieldMembers =
  'type title description enum oneOf items minimum maximum minLength maxLength minItems maxItems'.split(' ');

/** A field for each argument of the schema. Undefined if a control would not keep the arguments as they are. */
function fieldsOf(proposed: Arguments, schema: unknown): Form | undefined {
  if (!isObject(schema) || !isObject(schema.properties)) return undefined;
  const { properties, required } = schema;
  if (
    !Object.entries(proposed).every(
      ([name, value]) => Object.hasOwn(properties, name) && fitsControl(properties[name], value),
    )
  )
    return undefined;
  const fields = Object.entries(properties).map(([name, field]) => {
    const described = Object.entries(Object(field)).filter(([member]) => fieldMembers.includes(member));
    // A default of the schema would be an argument that the model has not given.
    const given = Object.hasOwn(proposed, name) ? [['default', proposed[name]] as const] : [];
    return [name, Object.fromEntries([...described, ...given])];
  });
  const names = Array.isArray(required) ? required.filter((name) => Object.hasOwn(properties, name)) : [];
  return { type: 'object', properties: Object.fromEntries(fields), required: names };
}

/** An empty control is sent as absent, one of a line has no line breaks, and hidden characters get lost at the first change. */
function fitsControl(field: unknown, value: unknown): boolean {
  if (!isObject(field)) return false;
  if (typeof value !== 'string') return Array.isArray(value) ? value.length > 0 : value !== null;
  const isLine = field.maxLength !== undefined;
  return value !== '' && value.trim() === value && !hasHidden(value) && !(isLine && value.includes('\n'));
}

/** Equal as JSON, whatever the order of the members. */
export function isSame(one: unknown, other: unknown): boolean {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null)
    return one === other;
  const names = Object.keys(one);
  return (
    Array.isArray(one) === Array.isArray(other) &&
    names.length === Object.keys(other).length &&
    names.every(
      (name) => Object.hasOwn(other, name) && isSame((one as Arguments)[name], (other as Arguments)[name]),
    )
  );
}

/** Programs that copy such an object may change its prototype instead. In a text, the quotation marks would be escaped. */
const namesPrototype = (json: string): boolean => json.includes('"__proto__":');

/** Whether JSON keeps the value as it is, and so do programs that copy it. */
function isJson(value: unknown): boolean {
  try {
    const json = JSON.stringify(value);
    return !namesPrototype(json) && isSame(JSON.parse(json), value);
  } catch {
    return false;
  }
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
