import {
  type Content,
  type Field,
  type FieldOption,
  type Form,
  isApproval,
  optionsOf,
} from '@expert-relay/sdk/forms';
import { escapeCharacter } from '../terminal/escape-character.ts';
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
  if (description) out.foreign(oneLine(description), { indent: inner });
  const options = optionsOf(field);
  for (const [index, { value, title: shown }] of options.entries()) {
    const titled = shown === value ? '' : `  ${oneLine(shown)}`;
    out.foreign(`${isNumbered ? `${index + 1}. ` : '- '}${optionText(value)}${titled}`, {
      indent: inner,
    });
  }
  if (field.default === undefined) return;
  showValue(out, 'default', inWords(field.default, options.length > 0 ? oneLine : undefined), inner);
}

/** What was decided, in words, one field a line. */
export function showContent(
  out: Screen,
  form: Form | undefined,
  content: Content,
  { indent = '  ' }: Look = {},
): void {
  for (const name of Object.keys(form?.properties ?? content)) {
    const value = Object.hasOwn(content, name) ? content[name] : undefined;
    if (value === undefined) continue;
    const field = form?.properties[name];
    const options = field ? optionsOf(field) : [];
    const words = new Map(options.map((option) => [option.value, optionWords(option)]));
    const wordsOf = (one: string) => words.get(one) ?? one;
    showValue(out, `- ${oneLine(field?.title ?? name)}`, inWords(value, wordsOf), indent);
  }
}

/** Behind its label, or below it where it has line breaks: each of its lines behind a mark, so that none looks like a field. */
function showValue(out: Screen, label: string, value: string, indent: string): void {
  const lines = value.split('\n');
  out.foreign(lines.length > 1 ? `${label}:` : `${label}: ${value}`, { indent });
  if (lines.length > 1) for (const line of lines) out.foreign(`| ${line}`, { indent: `${indent}  ` });
}

/** Spaces at an end, and those that are not U+0020, could not be told from others: such a text is in quotation marks. */
const unclear = /^[ "]| $|\t|(?! )\p{Zs}/u;
const withSpaces = (text: string): string => (unclear.test(text) ? inQuotes(text) : text);

const inQuotes = (text: string): string => JSON.stringify(text).replaceAll(/(?! )\p{Zs}/gu, escapeCharacter);

/** For lines of this program that quote a label: it cannot begin a line of its own. */
const oneLine = (text: string): string => text.replaceAll(/\r\n|[\r\n\u2028\u2029]/g, '␊');

const optionText = (value: string) => withSpaces(oneLine(value));

/** The title, and the value where it is another text: the title of one option may be the value of another. */
const optionWords = ({ value, title }: FieldOption): string =>
  value === title ? oneLine(value) : `${quoted(oneLine(title))} (${inQuotes(oneLine(value))})`;

function inWords(value: Content[string], wordsOf = (one: string) => one): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string') {
    const words = wordsOf(value);
    return words === value ? value.split('\n').map(withSpaces).join('\n') : words;
  }
  const options = value.map((one) => {
    const words = wordsOf(one);
    return words === one ? quoted(one) : words;
  });
  return options.join(', ') || 'none';
}

/** One option of several: one that has a comma must not look like two. */
const quoted = (option: string): string =>
  /[",]/.test(option) || unclear.test(option) ? inQuotes(option) : option;

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
