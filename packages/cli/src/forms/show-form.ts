import {
  type Content,
  describeContent,
  type Field,
  type Form,
  isApproval,
  optionsOf,
} from '@expert-relay/sdk/forms';
import type { Screen } from '../terminal/screen.ts';

interface Look {
  readonly indent?: string;
}

/** Prints what a form asks for. All of its words are the agent's: they are only shown, each behind this program's own words. */
export function showForm(out: Screen, form: Form | undefined, { indent = '  ' }: Look = {}): void {
  if (!form) {
    out.paragraph('A form that this version cannot show. It can be declined.', { indent, style: 'yellow' });
  } else if (isApproval(form)) out.paragraph('The agent asks for an approval.', { indent });
  else {
    for (const [name, field] of Object.entries(form.properties))
      showField(out, name, field, { indent, isRequired: form.required?.includes(name) ?? false });
  }
}

export function showField(
  out: Screen,
  name: string,
  field: Field,
  { indent = '  ', isRequired, isNumbered = false }: Look & { isRequired: boolean; isNumbered?: boolean },
): void {
  const { title, description } = field;
  const facts = [isRequired ? 'required' : 'optional', ...limitsOf(field)].join(', ');
  out.foreign(`${name}: ${title === undefined ? '' : `${oneLine(title)} `}(${facts})`, { indent });
  const inner = `${indent}  `;
  if (description) out.foreign(description, { indent: inner });
  for (const [index, { value, title: shown }] of optionsOf(field).entries()) {
    const titled = shown === value ? '' : `  ${oneLine(shown)}`;
    out.foreign(`${isNumbered ? `${index + 1}. ` : '- '}${oneLine(value)}${titled}`, { indent: inner });
  }
  if (field.default !== undefined) out.foreign(`default: ${describeValue(field.default)}`, { indent: inner });
}

/** What was decided, in words, one field a line. */
export function showContent(
  out: Screen,
  form: Form | undefined,
  content: Content,
  { indent = '  ' }: Look = {},
): void {
  const fields = form
    ? describeContent(form, content)
    : Object.entries(content).map(([label, value]) => ({ label, value: describeValue(value) }));
  for (const { label, value } of fields) out.foreign(`- ${oneLine(label)}: ${value}`, { indent });
}

/** For lines of this program that quote a label: it cannot begin a line of its own. */
export const oneLine = (text: string): string => text.replaceAll(/[\r\n\u2028\u2029]+/g, ' ');

function describeValue(value: Content[string]): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return oneLine(Array.isArray(value) ? value.join(', ') || 'none' : String(value));
}

function limitsOf(field: Field): string[] {
  switch (field.type) {
    case 'boolean':
      return ['yes or no'];
    case 'number':
    case 'integer':
      return [field.type === 'integer' ? 'whole number' : 'number', ...range(field.minimum, field.maximum)];
    case 'array':
      return ['several of these', ...range(field.minItems, field.maxItems)];
    case 'string':
      if ('enum' in field || 'oneOf' in field) return ['one of these'];
      return [field.format ?? 'text', ...range(field.minLength, field.maxLength, ' characters')];
  }
}

function range(least: number | undefined, most: number | undefined, unit = ''): string[] {
  return [
    ...(least === undefined ? [] : [`at least ${least}${unit}`]),
    ...(most === undefined ? [] : [`at most ${most}${unit}`]),
  ];
}
