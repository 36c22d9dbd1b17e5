import {
  type Content,
  checkContent,
  type Field,
  type FieldOption,
  type Form,
  isApproval,
  optionsOf,
} from '@expert-relay/sdk/forms';
import { defaultsOf, readNumber } from '@expert-relay/sdk/internal';
import { Failure } from '../failure.ts';

/** What an expert has given on the command line for a form. */
export interface GivenContent {
  /** Of `--choose`: values or titles of options. */
  readonly chosen?: readonly string[] | undefined;
  /** Of `--set`: `name=value`. */
  readonly set?: readonly string[] | undefined;
}

type Value = Content[string] | undefined;

/** What the expert accepts without a change: undefined where the agent has filled in nothing, or has left out what is required. */
export function prefilledOf(form: Form): Content | undefined {
  const content = defaultsOf(form);
  const isFilledIn = isApproval(form) || Object.keys(content).length > 0;
  return isFilledIn && checkContent(form, content).length === 0 ? content : undefined;
}

/**
 * The content for a form: what the agent has filled in, with what the options change.
 * @throws Failure `usage` when it is not valid
 */
export function contentOf(form: Form, refCode: string, { chosen = [], set = [] }: GivenContent): Content {
  if (isApproval(form)) {
    if (chosen.length + set.length > 0)
      throw refuse('The agent asks for an approval, which has no fields: --approve or --decline.');
    return {};
  }
  const texts = new Map<string, string[]>();
  for (const each of set) {
    const [, name = '', text = ''] = /^([^=]*)=(.*)$/s.exec(each) ?? [];
    if (name === '') throw refuse(`--set is "${each}". It must be NAME=VALUE.`);
    texts.set(name, [...(texts.get(name) ?? []), text]);
  }
  if (chosen.length > 0) texts.set(nameOfChoice(form), [...chosen]);
  if (texts.size === 0 && !prefilledOf(form))
    throw refuse(
      `Not sent: the agent has left fields empty. Fill them in: relay answer ${refCode} ${emptyIn(form)
        .map((name) => `--set ${name}=...`)
        .join(' ')}`,
    );
  const content: Record<string, Value> = { ...defaultsOf(form) };
  for (const [name, values] of texts) {
    const field = Object.hasOwn(form.properties, name) ? form.properties[name] : undefined;
    if (!field)
      throw refuse(`The form has no field "${name}". It has: ${Object.keys(form.properties).join(', ')}.`);
    requireExact(name, field, values);
    const ambiguous = values.find((text) => isAmbiguous(field, text));
    if (ambiguous !== undefined)
      throw refuse(
        `${name}: "${ambiguous}" names several options. Name one otherwise, choose it by its number at a terminal, or answer on the web page.`,
      );
    content[name] = fieldValue(field, values);
  }
  return requireValid(form, content);
}

/** The required fields that the agent has left empty. Where nothing is required, all. */
function emptyIn({ properties, required = [] }: Form): string[] {
  const empty = Object.keys(properties).filter((name) => properties[name]?.default === undefined);
  return required.length > 0 ? empty.filter((name) => required.includes(name)) : empty;
}

/** @throws Failure `usage` that names each field with a problem */
function requireValid(form: Form, content: Readonly<Record<string, Value>>): Content {
  const given = Object.fromEntries(Object.entries(content).filter(([, value]) => value !== undefined));
  const problems = checkContent(form, given);
  if (problems.length === 0) return given as Content;
  const lines = problems.map(({ name, message }) => `${name || 'content'}: ${message}`);
  throw refuse(`Not sent: the form is not filled in right.\n${lines.join('\n')}`);
}

/** `--choose` needs no name where there is one choice only. */
function nameOfChoice(form: Form): string {
  const choices = Object.entries(form.properties).filter(([, field]) => optionsOf(field).length > 0);
  const [first] = choices;
  if (choices.length === 1 && first) return first[0];
  throw refuse(
    choices.length === 0
      ? 'The form has no options to choose from: --set NAME=VALUE.'
      : `The form has ${choices.length} fields with options: --set NAME=VALUE for each. They are: ${choices.map(([name]) => name).join(', ')}.`,
  );
}

/**
 * The value of a field as it was typed: of options the title or the value, `yes` or `no`, a number. An empty text leaves the
 * field empty. A value that is not valid for its type is returned as a text: `checkContent` says what it must be.
 */
export function fieldValue(field: Field, texts: readonly string[]): Value {
  const given = texts.filter((text) => text !== '');
  const [text] = given;
  if (text === undefined) return undefined;
  if (field.type === 'array') return given.map((one) => optionOf(field, one));
  if (given.length > 1) return given;
  if (field.type === 'boolean')
    return /^(y|yes|true)$/i.test(text) || (/^(n|no|false)$/i.test(text) ? false : text);
  if (field.type === 'string') return optionsOf(field).length > 0 ? optionOf(field, text) : text;
  const typed = readNumber(text);
  return typed && (field.type === 'number' || typed.isWhole) ? typed.value : text;
}

/** A number that is sent must be the one that was written. */
function requireExact(name: string, { type }: Field, texts: readonly string[]): void {
  for (const text of type === 'number' ? texts : []) {
    const { value, isExact } = readNumber(text) ?? { value: Number.NaN, isExact: true };
    if (!isExact && Number.isFinite(value))
      throw refuse(`${name}: ${text} would be sent as ${value}. If that is meant: --set ${name}=${value}`);
  }
}

/** The options that a text names by their value or title. */
function optionsNamed(field: Field, text: string): readonly FieldOption[] {
  const options = optionsOf(field);
  const typed = text.trim();
  const exact = options.filter(({ value, title }) => value === text || title.trim() === typed);
  if (exact.length > 0) return exact;
  return options.filter(({ title }) => title.trim().toLowerCase() === typed.toLowerCase());
}

/** Whether a text names several options: the title of one may be the value of another. */
export const isAmbiguous = (field: Field, text: string): boolean => optionsNamed(field, text).length > 1;

/** Values come before titles: a number at the prompt stands for a value. */
const optionOf = (field: Field, text: string): string => {
  const isValue = optionsOf(field).some(({ value }) => value === text);
  return isValue ? text : (optionsNamed(field, text)[0]?.value ?? text);
};

const refuse = (sentence: string) => new Failure('usage', sentence);
